#include "config/load.hpp"

#include "config/assign.hpp"
#include "config/check.hpp"
#include "config/document.hpp"
#include "config/nearest.hpp"
#include "config/secret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace postrider::config {

namespace {

constexpr std::string_view twin = "_file";

/// Reads one configuration; collects the faults on the way.
class loader {
public:
  explicit loader(const environment& env) : env_{env} {}

  void take_file(const std::string& path) {
    auto read = read_document(path);
    faults_ = std::move(read.faults);
    std::map<const key*, const entry*> secrets;
    for (const auto& one : read.entries) {
      if (one.name.empty() && knows_section(one.section))
        continue;
      const auto* known = find(one);
      if (!known) {
        faults_.push_back(read.at(one.key_at, unknown(one)));
        continue;
      }
      origin_[known->path()] = read.at(one.value_at, "");
      const auto path_of_key = one.section + "." + one.name;
      if (const auto* secret = std::get_if<secret_field>(&known->where)) {
        if (secrets.contains(known)) {
          faults_.push_back(read.at(
              one.key_at,
              fmt::format("{0} and {0}_file are both set: keep one of them",
                          known->path())));
          continue;
        }
        secrets[known] = &one;
        const auto* text = std::get_if<std::string>(&one.content);
        auto wrong = text ? take_secret(*secret, one.name != known->name, *text)
                          : std::optional<std::string>{
                              "is not a text (write it in quotes)"};
        if (wrong)
          faults_.push_back(read.at(one.value_at, path_of_key + " " + *wrong));
      } else if (auto wrong = assign(known->where, one.content)) {
        faults_.push_back(
            read.at(one.value_at, fmt::format("{}: {}", path_of_key, *wrong)));
      }
    }
  }

  void take_environment() {
    for (const auto& known : keys_) {
      const auto name = environment_name(known.section, known.name);
      const auto given = env_(name);
      if (const auto* secret = std::get_if<secret_field>(&known.where)) {
        take_secret_variables(*secret, name, given);
      } else if (given) {
        origin_[known.path()] = {name, {}, {}};
        if (auto wrong = assign(known.where, from_text(known.where, *given)))
          faults_.push_back({name, *wrong, {}});
      }
    }
  }

  std::variant<config, std::vector<fault>> result() {
    if (faults_.empty())
      for (auto& [path, what] : check(whole_)) {
        auto found =
            origin_.contains(path) ? origin_[path] : fault{"defaults", {}, {}};
        found.what = fmt::format("{}: {}", path, what);
        faults_.push_back(std::move(found));
      }
    if (!faults_.empty())
      return std::move(faults_);
    return std::move(whole_);
  }

private:
  const key* find(const entry& one) const {
    for (const auto& known : keys_) {
      if (known.section != one.section)
        continue;
      const auto* secret = std::get_if<secret_field>(&known.where);
      if (secret ? one.name == known.name + std::string{twin}
                       || (one.name == known.name && !secret->file_only)
                 : one.name == known.name)
        return &known;
    }
    return nullptr;
  }

  bool knows_section(const std::string& section) const {
    return std::any_of(keys_.begin(), keys_.end(), [&](const key& known) {
      return known.section == section;
    });
  }

  std::string unknown(const entry& one) const {
    std::vector<std::string> sections;
    std::vector<std::string> names;
    for (const auto& known : keys_) {
      sections.push_back(known.section);
      if (known.section != one.section)
        continue;
      const auto* secret = std::get_if<secret_field>(&known.where);
      if (secret)
        names.push_back(known.name + std::string{twin});
      if (!secret || !secret->file_only)
        names.push_back(known.name);
    }
    if (one.section.empty())
      return fmt::format("unknown key {}: keys stand in sections, such as "
                         "[delivery]",
                         one.name);
    if (names.empty())
      return fmt::format("unknown section [{}]{}", one.section,
                         did_you_mean(one.section, sections));
    return fmt::format("unknown key {}.{}{}", one.section, one.name,
                       did_you_mean(one.name, names));
  }

  std::optional<std::string> take_secret(const secret_field& to, bool by_file,
                                         const std::string& text) {
    if (!by_file)
      return to.decode(text, *to.to);
    auto content = read_secret_file(text, env_);
    if (!content.fault.empty())
      return content.fault;
    return to.decode(content.text, *to.to);
  }

  void take_secret_variables(const secret_field& to, const std::string& name,
                             const std::optional<std::string>& given) {
    const auto file_name = name + "_FILE";
    const auto file = env_(file_name);
    if (given && file && !to.file_only) {
      faults_.push_back({name,
                         fmt::format("{0} and {0}_FILE are both set: keep one "
                                     "of them",
                                     name),
                         {}});
    } else if (given && to.file_only) {
      faults_.push_back(
          {name,
           fmt::format("is read from a file only: set {}", file_name),
           {}});
    } else if (given || file) {
      if (auto wrong = take_secret(to, !given, given ? *given : *file))
        faults_.push_back({given ? name : file_name, *wrong, {}});
    }
  }

  const environment& env_;
  config whole_;
  std::vector<key> keys_ = keys_of(whole_);
  std::vector<fault> faults_;
  std::map<std::string, fault> origin_; ///< where each key was set
};

} // namespace

std::string to_string(const fault& found) {
  auto text = fmt::format("{}: error: {}", found.where, found.what);
  if (!found.excerpt.empty())
    text += "\n" + found.excerpt;
  return text;
}

std::variant<config, std::vector<fault>> load(const std::string& path,
                                              const environment& env) {
  loader reading{env};
  if (!path.empty())
    reading.take_file(path);
  reading.take_environment();
  return reading.result();
}

environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    if (const char* text = std::getenv(name.c_str()))
      return text;
    return std::nullopt;
  };
}

} // namespace postrider::config
