#include "config/includes.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

namespace postrider::config {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 200;
constexpr std::size_t deepest = 8;

/// The names that fit, sorted by bytes wherever this runs.
std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> release{&found, &globfree};
  std::vector<std::string> names;
  if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  std::sort(names.begin(), names.end());
  return names;
}

fs::path identity(const std::string& path) {
  std::error_code ignored;
  auto real = fs::weakly_canonical(path, ignored);
  return real.empty() ? fs::path{path} : real;
}

class reading {
public:
  void read(const std::string& path) {
    const auto index = all_.size();
    all_.push_back(read_document(path));
    chain_.push_back(identity(path));
    seen_.push_back(chain_.back());
    // A copy: reading on makes the list grow.
    const auto entries = all_[index].entries;
    for (const auto& one : entries)
      if (one.section.empty() && one.name == "include")
        follow(index, one);
    chain_.pop_back();
  }

  std::vector<document> take() { return std::move(all_); }

private:
  void follow(std::size_t from, const entry& list) {
    const auto* patterns = std::get_if<std::vector<item>>(&list.content);
    if (!patterns)
      return complain(from, list.value_at,
                      "is not a list of files (write [\"conf.d/*.toml\"])");
    for (std::size_t i = 0; i < patterns->size(); ++i) {
      const auto& where = list.items_at[i];
      if (const auto* pattern = std::get_if<std::string>(&(*patterns)[i]);
          pattern && !pattern->empty())
        follow(from, where, *pattern);
      else
        complain(from, where, "is not the name of a file");
    }
  }

  void follow(std::size_t from, const place& where,
              const std::string& pattern) {
    const auto full =
        (fs::path{all_[from].path}.parent_path() / pattern).string();
    const auto names = matches(full);
    if (names.empty() && full.find_first_of("*?[") == std::string::npos)
      return complain(from, where,
                      fmt::format("there is no file {} (a pattern such as "
                                  "\"conf.d/*.toml\" may fit none)",
                                  full));
    for (const auto& name : names)
      enter(from, where, name);
  }

  void enter(std::size_t from, const place& where, const std::string& name) {
    const auto who = identity(name);
    const auto is_in = [&](const std::vector<fs::path>& list) {
      return std::find(list.begin(), list.end(), who) != list.end();
    };
    if (is_in(chain_))
      complain(from, where, fmt::format("{} includes itself", name));
    else if (is_in(seen_))
      complain(from, where, fmt::format("{} is included twice", name));
    else if (chain_.size() >= deepest || all_.size() >= most_files)
      complain(from, where,
               fmt::format("{} is not read: at most {} files, {} deep, are",
                           name, most_files, deepest));
    else
      read(name);
  }

  void complain(std::size_t from, const place& where, const std::string& what) {
    auto& document = all_[from];
    auto found = document.at(where, "include: " + what);
    found.key = "include";
    document.faults.push_back(std::move(found));
  }

  std::vector<document> all_;
  std::vector<fs::path> chain_;
  std::vector<fs::path> seen_;
};

} // namespace

std::vector<document> read_with_includes(const std::string& path) {
  reading all;
  all.read(path);
  return all.take();
}

} // namespace postrider::config
