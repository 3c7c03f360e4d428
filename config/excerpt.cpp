#include "config/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::config {

namespace {

constexpr std::size_t longest_line = 200;

/// Whether the line may hold a secret, which must not be printed.
bool may_hold_secret(std::string_view line) {
  const auto name = line.substr(0, line.find('='));
  if (name.find("_file") != std::string_view::npos)
    return false;
  for (const auto* word : {"key", "secret", "url", "pass", "token"})
    if (name.find(word) != std::string_view::npos)
      return true;
  return false;
}

/// The bytes in front of a column; columns count characters of UTF-8.
std::size_t offset_of(std::string_view line, std::uint32_t column) {
  std::size_t at = 0;
  for (std::uint32_t seen = 1; seen < column && at < line.size(); ++seen) {
    ++at;
    while (at < line.size()
           && (static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80U)
      ++at;
  }
  return at;
}

/// As wide on a terminal as the text itself.
std::string blank(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '\t')
      out += c;
    else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U)
      out += ' ';
  return out;
}

} // namespace

std::string excerpt(std::string_view line, const place& where,
                    bool hide_value) {
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  if (line.size() > longest_line || where.column < 1 || may_hold_secret(line))
    return {};
  const auto equals = line.find('=');
  const bool cut = hide_value && equals != std::string_view::npos;
  return fmt::format("{:>5} | {}{}\n      | {}^{:~<{}}", where.line,
                     cut ? line.substr(0, equals + 1) : line, cut ? " …" : "",
                     blank(line.substr(0, offset_of(line, where.column))), "",
                     std::clamp(where.length, 1U, 100U) - 1);
}

} // namespace postrider::config
