#include "config/document.hpp"

#include "config/excerpt.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <sys/stat.h>

namespace postrider::config {

namespace {

constexpr std::size_t largest = 1 << 20;

place to_place(const toml::source_region& region) {
  place found{static_cast<std::uint32_t>(region.begin.line),
              static_cast<std::uint32_t>(region.begin.column), 1};
  if (region.end.line == region.begin.line
      && region.end.column > region.begin.column)
    found.length =
        static_cast<std::uint32_t>(region.end.column - region.begin.column);
  return found;
}

std::string name_of(const toml::node& node) {
  if (node.is_boolean())
    return "a boolean";
  if (node.is_array())
    return "a list";
  return node.is_table() ? "a section" : "a date or time";
}

template <class To>
To to_scalar(const toml::node& node) {
  if (const auto* text = node.as_string())
    return text->get();
  if (const auto* number = node.as_integer())
    return number->get();
  if (const auto* number = node.as_floating_point())
    return number->get();
  return other_value{name_of(node)};
}

value to_value(const toml::node& node) {
  const auto* list = node.as_array();
  if (!list)
    return to_scalar<value>(node);
  std::vector<item> items;
  for (const auto& one : *list)
    items.push_back(to_scalar<item>(one));
  return items;
}

void walk(const toml::table& table, const std::string& section,
          std::vector<entry>& into) {
  for (const auto& [name, node] : table) {
    const std::string text{name.str()};
    const auto at = to_place(name.source());
    if (const auto* inner = node.as_table()) {
      const auto path = section.empty() ? text : section + "." + text;
      if (inner->empty())
        into.push_back({path, "", {}, at, at});
      walk(*inner, path, into);
      continue;
    }
    entry made{section, text, to_value(node), at, to_place(node.source())};
    if (const auto* list = node.as_array())
      for (const auto& one : *list)
        made.items_at.push_back(to_place(one.source()));
    into.push_back(std::move(made));
  }
}

bool is_for_everyone(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

} // namespace

fault document::at(const place& where, std::string what,
                   bool hide_value) const {
  fault found{fmt::format("{}:{}:{}", path, where.line, where.column),
              std::move(what)};
  if (where.line >= 1 && where.line <= lines.size())
    found.excerpt = excerpt(lines[where.line - 1], where, hide_value);
  return found;
}

document read_document(const std::string& path) {
  document read;
  read.path = path;
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  std::string text;
  for (std::string line; std::getline(file, line); text += '\n') {
    text += read.lines.emplace_back(std::move(line));
    if (text.size() > largest) {
      read.faults.push_back({path, "is larger than 1 MiB: that is no "
                                   "configuration"});
      return read;
    }
  }
  if (!file.eof()) {
    read.faults.push_back(
        {path, fmt::format("can't be read: {}", std::strerror(errno))});
    return read;
  }
  read.for_everyone = is_for_everyone(path);
  try {
    walk(toml::parse(std::string_view{text}, std::string_view{path}), "",
         read.entries);
  } catch (const toml::parse_error& error) {
    read.faults.push_back(
        read.at(to_place(error.source()), std::string{error.description()}));
  }
  std::stable_sort(read.entries.begin(), read.entries.end(),
                   [](const entry& a, const entry& b) {
                     return a.key_at.line < b.key_at.line;
                   });
  return read;
}

} // namespace postrider::config
