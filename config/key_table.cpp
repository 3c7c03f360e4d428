#include "config/key_table.hpp"

#include "config/nearest.hpp"

#include <algorithm>

namespace postrider::config {

namespace {

/// Every name that may be written for the key.
std::vector<std::string> names_of(const key& one) {
  const auto* secret = std::get_if<secret_field>(&one.where);
  if (!secret)
    return {one.name};
  if (secret->file_only)
    return {one.name + "_file"};
  return {one.name + "_file", one.name};
}

} // namespace

std::optional<named> key_table::find(const std::string& section,
                                     const std::string& name) const {
  for (const auto& one : keys_) {
    if (one.section != section)
      continue;
    const auto names = names_of(one);
    if (std::find(names.begin(), names.end(), name) != names.end())
      return named{&one, name != one.name};
  }
  return std::nullopt;
}

std::optional<named> key_table::find(const std::string& path) const {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos)
    return std::nullopt;
  return find(path.substr(0, dot), path.substr(dot + 1));
}

bool key_table::knows_section(const std::string& section) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const key& one) { return one.section == section; });
}

std::optional<key_table::suggestion>
key_table::suggest(const std::string& section, const std::string& name) const {
  const auto found = [this](const std::string& in, const std::string& what) {
    const auto known = find(in, what);
    return suggestion{
        in, what,
        known && std::holds_alternative<secret_field>(known->which->where)};
  };
  std::vector<std::string> here;
  for (const auto& one : keys_)
    if (one.section == section)
      for (auto& each : names_of(one))
        here.push_back(std::move(each));
  if (const auto close = nearest(name, here))
    return found(section, *close);
  // The right name in the wrong section, or in one that was misspelt.
  if (const auto close = suggest_section(section); close && find(*close, name))
    return found(*close, name);
  for (const auto& one : keys_)
    if (find(one.section, name))
      return found(one.section, name);
  return std::nullopt;
}

std::optional<std::string>
key_table::suggest_section(const std::string& section) const {
  std::vector<std::string> sections;
  for (const auto& one : keys_)
    sections.push_back(one.section);
  return nearest(section, sections);
}

} // namespace postrider::config
