#include "config/document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace postrider::config {

namespace {

place to_place(const toml::source_region& region) {
  place found{static_cast<std::uint32_t>(region.begin.line),
              static_cast<std::uint32_t>(region.begin.column), 1};
  if (region.end.line == region.begin.line
      && region.end.column > region.begin.column)
    found.length =
        static_cast<std::uint32_t>(region.end.column - region.begin.column);
  return found;
}

value to_value(const toml::node& node) {
  if (const auto* text = node.as_string())
    return text->get();
  if (const auto* number = node.as_integer())
    return number->get();
  if (const auto* list = node.as_array()) {
    std::vector<std::string> texts;
    for (const auto& one : *list) {
      if (!one.is_string())
        return other_value{"a list of something other than texts"};
      texts.push_back(one.as_string()->get());
    }
    return texts;
  }
  if (node.is_boolean())
    return other_value{"a boolean"};
  if (node.is_floating_point())
    return other_value{"a number with a fraction"};
  return other_value{node.is_table() ? "a section" : "a date or time"};
}

/// Whether the line may hold a secret, which must not be printed.
bool may_hold_secret(const std::string& line) {
  const auto name = line.substr(0, line.find('='));
  if (name.find("_file") != std::string::npos)
    return false;
  for (const auto* word : {"key", "secret", "url", "pass", "token"})
    if (name.find(word) != std::string::npos)
      return true;
  return false;
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
    } else {
      into.push_back(
          {section, text, to_value(node), at, to_place(node.source())});
    }
  }
}

} // namespace

fault document::at(const place& where, std::string what) const {
  fault found{fmt::format("{}:{}:{}", path, where.line, where.column),
              std::move(what),
              {}};
  if (where.line >= 1 && where.line <= lines.size()) {
    const auto& line = lines[where.line - 1];
    if (line.size() <= 200 && where.column >= 1 && !may_hold_secret(line))
      found.excerpt =
          fmt::format("{:>5} | {}\n      | {:{}}^{:~<{}}", where.line, line, "",
                      where.column - 1, "", std::min(where.length, 100U) - 1);
  }
  return found;
}

document read_document(const std::string& path) {
  document read{path, {}, {}, {}};
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  std::string text;
  for (std::string line; std::getline(file, line); text += '\n')
    text += read.lines.emplace_back(std::move(line));
  if (!file.eof()) {
    read.faults.push_back(
        {path, fmt::format("can't be read: {}", std::strerror(errno)), {}});
    return read;
  }
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
