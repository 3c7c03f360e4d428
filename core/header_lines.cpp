#include "core/header_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace postrider {

namespace {

// Without an early exit the compiler makes vector code of such a loop.
bool ends_a_line(std::string_view text) {
  bool found = false;
  for (const char c : text)
    found |= c == '\r' || c == '\n' || c == '\0';
  return found;
}

bool ends_a_name(std::string_view text) {
  bool found = text.empty();
  for (const char c : text)
    found |= static_cast<unsigned char>(c) <= ' ' || c == ':';
  return found;
}

bool frames_the_request(std::string_view name) {
  static constexpr std::array<std::string_view, 6> names{
      "host",   "content-length", "transfer-encoding",
      "expect", "connection",     "upgrade"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view each) {
    return each.size() == name.size() && same_header_name(each, name);
  });
}

} // namespace

header_lines::header_lines(std::initializer_list<header> fields) {
  for (const auto& [name, value] : fields)
    add(name, value);
}

void header_lines::add(std::string_view prefix, std::string_view rest,
                       std::string_view value) {
  const auto start = text_.size();
  text_ += prefix;
  text_ += rest;
  const auto name = std::string_view{text_}.substr(start);
  if (ends_a_name(name) || ends_a_line(value))
    fault_ = "a header holds a byte that would end its line";
  else if (frames_the_request(name))
    fault_ = "the header '" + std::string{name} + "' is written by the client";
  else {
    text_ += ": ";
    text_ += value;
    text_ += "\r\n";
    return;
  }
  text_.resize(start);
}

void header_lines::add(std::string_view prefix, std::string_view rest,
                       std::int64_t value) {
  std::array<char, 20> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  add(prefix, rest,
      {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

} // namespace postrider
