#include "config/environment.hpp"

#include <algorithm>

#include <unistd.h>

namespace postrider::config {

namespace {

constexpr std::string_view prefix = "POSTRIDER_";
constexpr std::string_view between = "__";

std::string changed(std::string_view text, char from, char to) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [=](char c) {
    return c >= from && c <= from + ('z' - 'a')
               ? static_cast<char>(c - from + to)
               : c;
  });
  return out;
}

} // namespace

environment process_environment() {
  environment out;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text{*entry};
    const auto equals = text.find('=');
    // The first of two counts, as for getenv.
    if (equals != std::string_view::npos)
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

std::optional<std::string> find(const environment& in, std::string_view name) {
  const auto found = in.find(name);
  if (found == in.end())
    return std::nullopt;
  return found->second;
}

std::string environment_name(std::string_view section, std::string_view name) {
  std::string text{prefix};
  text.append(section).append(between).append(name);
  return changed(text, 'a', 'A');
}

std::optional<named_key> key_of_variable(std::string_view variable) {
  if (!variable.starts_with(prefix))
    return std::nullopt;
  variable.remove_prefix(prefix.size());
  const auto middle = variable.find(between);
  if (middle == std::string_view::npos || middle == 0)
    return std::nullopt;
  return named_key{changed(variable.substr(0, middle), 'A', 'a'),
                   changed(variable.substr(middle + between.size()), 'A', 'a')};
}

} // namespace postrider::config
