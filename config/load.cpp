#include "config/load.hpp"

#include "config/assign.hpp"
#include "config/check.hpp"
#include "config/includes.hpp"
#include "config/key_table.hpp"
#include "config/secret.hpp"
#include "config/unknown.hpp"
#include "config/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace postrider::config {

namespace {

/// Reads one configuration, layer by layer; collects the faults on the way.
class loader {
public:
  explicit loader(const environment& variables) : variables_{variables} {}

  void take_file(const document& from) {
    out_.files.push_back(from.path);
    for (const auto& one : from.faults)
      out_.faults.push_back(one);
    std::map<const key*, const entry*> here;
    for (const auto& one : from.entries)
      if (!(one.section.empty() && one.name == "include")
          && !(one.name.empty() && keys_.knows_section(one.section)))
        take_entry(from, one, here);
  }

  void take_environment() {
    std::map<const key*, std::string> here;
    for (const auto& [variable, text] : variables_) {
      const auto meant = key_of_variable(variable);
      if (!meant)
        continue;
      const auto known = keys_.find(meant->section, meant->name);
      if (!known)
        blame("", {variable}, unknown_variable(keys_, *meant).what);
      else if (!here.emplace(known->which, variable).second)
        blame(known->which->path(), {variable},
              fmt::format("{0} and {0}_FILE are both set: keep one of them",
                          here[known->which]));
      else
        take_text(*known, {variable}, text);
    }
  }

  void take_settings(const std::vector<std::string>& settings) {
    for (const auto& one : settings) {
      const auto equals = std::min(one.find('='), one.size());
      const auto path = one.substr(0, equals);
      const origin from{"--set " + path};
      const auto known = keys_.find(path);
      if (equals == one.size())
        blame(path, from, "write KEY=VALUE, such as delivery.lease=30s");
      else if (!known)
        blame("", from, unknown_setting(keys_, path).what);
      else if (!known->by_file
               && std::holds_alternative<secret_field>(known->which->where))
        blame(path, from,
              fmt::format("a secret on the command line is seen by every user "
                          "of the machine: use {}_file",
                          path));
      else
        take_text(*known, from, one.substr(equals + 1));
    }
  }

  reading finish() {
    for (const auto& [which, given] : secrets_)
      open(*which, given);
    if (out_.faults.empty()) {
      for (const auto& [path, what] : check(out_.whole))
        out_.faults.push_back(out_.about(path, what));
      for (auto& [path, what] : doubts(out_.whole))
        warn(path, what);
    }
    return std::move(out_);
  }

private:
  /// A secret that was given last; opened when no layer can replace it.
  struct given_secret {
    bool by_file = false;
    std::string text;
    bool for_everyone = false;
  };

  void blame(const std::string& path, const origin& from, std::string what) {
    out_.faults.push_back({from.where, std::move(what), from.excerpt, path});
  }

  void warn(const std::string& path, const std::string& what) {
    auto doubt = out_.about(path, what);
    doubt.warning = true;
    out_.warnings.push_back(std::move(doubt));
  }

  void take_entry(const document& from, const entry& one,
                  std::map<const key*, const entry*>& here) {
    const auto known = keys_.find(one.section, one.name);
    if (!known) {
      auto [what, hide] = unknown_in_file(keys_, one.section, one.name);
      auto found = from.at(one.key_at, std::move(what), hide);
      found.key = one.section.empty() ? one.name : one.section + "." + one.name;
      out_.faults.push_back(std::move(found));
      return;
    }
    const auto path = known->which->path();
    if (!here.emplace(known->which, &one).second) {
      auto both = from.at(
          one.key_at,
          fmt::format("{0} and {0}_file are both set: keep one of them", path));
      both.key = path;
      out_.faults.push_back(std::move(both));
      return;
    }
    const auto at = from.at(one.value_at, "");
    if (const auto before = out_.origins.find(path);
        before != out_.origins.end())
      out_.conflicts.push_back({path, before->second.where, at.where});
    out_.origins[path] = {at.where, at.excerpt};
    if (std::holds_alternative<secret_field>(known->which->where)) {
      if (const auto* text = std::get_if<std::string>(&one.content))
        secrets_[known->which] = {known->by_file, *text, from.for_everyone};
      else
        blame(path, out_.origins[path],
              fmt::format("{}.{}: is not a text (write it in quotes)",
                          one.section, one.name));
    } else if (auto wrong = assign(known->which->where, one.content)) {
      const bool inside = wrong->item && *wrong->item < one.items_at.size();
      auto found = from.at(
          inside ? one.items_at[*wrong->item] : one.value_at,
          inside ? fmt::format("{}[{}]: {}", path, *wrong->item, wrong->what)
                 : fmt::format("{}: {}", path, wrong->what));
      found.key = path;
      out_.faults.push_back(std::move(found));
    }
  }

  /// What came as text, from the environment or the command line.
  void take_text(const named& known, const origin& from,
                 const std::string& text) {
    const auto path = known.which->path();
    out_.origins[path] = from;
    if (std::holds_alternative<secret_field>(known.which->where))
      secrets_[known.which] = {known.by_file, text};
    else if (auto wrong = assign(known.which->where,
                                 from_text(known.which->where, text)))
      blame(path, from, wrong->what);
  }

  void open(const key& which, const given_secret& given) {
    const auto path = which.path();
    const auto& to = std::get<secret_field>(which.where);
    std::string text = given.text;
    if (given.by_file) {
      auto content = read_secret_file(given.text, variables_);
      if (!content.fault.empty())
        return out_.faults.push_back(out_.about(path + "_file", content.fault));
      text = std::move(content.text);
      if (content.for_everyone)
        warn(path + "_file", fmt::format("every user of this machine can read "
                                         "{} (mend it: chmod o-r {})",
                                         given.text, given.text));
    } else if (given.for_everyone) {
      warn(path, fmt::format("every user of this machine can read this file "
                             "(name a file of its own with {}_file)",
                             path));
    }
    if (auto wrong = to.decode(text, *to.to))
      out_.faults.push_back(
          out_.about(given.by_file ? path + "_file" : path, *wrong));
  }

  const environment& variables_;
  reading out_;
  key_table keys_{out_.whole};
  std::map<const key*, given_secret> secrets_;
};

} // namespace

fault reading::about(const std::string& key, const std::string& what) const {
  auto path = key;
  if (path.ends_with("_file") && !origins.contains(path))
    path.resize(path.size() - 5);
  const auto found = origins.find(path);
  const auto from = found == origins.end() ? origin{"defaults"} : found->second;
  return {from.where, fmt::format("{}: {}", key, what), from.excerpt, path};
}

reading read(const sources& from) {
  loader work{from.variables};
  if (!from.file.empty())
    for (const auto& one : read_with_includes(from.file))
      work.take_file(one);
  work.take_environment();
  work.take_settings(from.settings);
  return work.finish();
}

} // namespace postrider::config
