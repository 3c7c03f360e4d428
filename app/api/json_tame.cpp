#include "app/api/json_tame.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Steps over one or more digits.
bool skip_digits(std::string_view& text) {
  auto count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count != 0;
}

/// Whether this is exactly one number of RFC 8259.
bool is_number(std::string_view text) {
  if (text.starts_with('-'))
    text.remove_prefix(1);
  if (text.starts_with('0'))
    text.remove_prefix(1);
  else if (!skip_digits(text))
    return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!skip_digits(text))
      return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-'))
      text.remove_prefix(1);
    if (!skip_digits(text))
      return false;
  }
  return text.empty();
}

/// Handles the string whose quote stands before `at`; the offset behind it.
std::size_t tame_string(std::string& text, std::size_t at) {
  while (at < text.size() && text[at] != '"') {
    bool escape = text[at] == '\\';
    at += escape ? 2 : 1;
    // \ud800 to \udfff become \u0800 to \u0fff.
    if (escape && at < text.size() && text[at - 1] == 'u'
        && (text[at] == 'd' || text[at] == 'D'))
      text[at] = '0';
  }
  return at + 1;
}

} // namespace

std::string tame_json(std::string_view text) {
  std::string tame{text};
  for (std::size_t at = 0; at < tame.size();) {
    if (tame[at] == '"') {
      at = tame_string(tame, at + 1);
    } else if (tame[at] == '-' || is_digit(tame[at])) {
      auto end =
          std::min(tame.find_first_not_of("0123456789+-.eE", at), tame.size());
      if (is_number(text.substr(at, end - at)))
        tame.replace(at, end - at, end - at, ' ')[at] = '0';
      at = end;
    } else {
      ++at;
    }
  }
  return tame;
}

} // namespace postrider::api
