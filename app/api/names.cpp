#include "app/api/names.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
         || (c >= 'A' && c <= 'Z');
}

template <class Predicate>
bool all(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool is_lower_hex(std::string_view text) {
  return all(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

} // namespace

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 && all(text, [](char c) {
    return is_alnum(c) || c == '_' || c == '-';
  });
}

bool is_key(std::string_view text) {
  return !text.empty() && text.size() <= 255
         && all(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_event_type(std::string_view text) {
  if (text.empty() || text.size() > 255 || text.front() == '.'
      || text.back() == '.' || text.find("..") != text.npos)
    return false;
  return all(text, [](char c) { return is_alnum(c) || c == '_' || c == '.'; });
}

bool is_type_pattern(std::string_view text) {
  if (text.ends_with(".*"))
    text.remove_suffix(2);
  else if (text == "*")
    return true;
  return is_event_type(text);
}

bool is_media_type(std::string_view text) {
  auto type = text.substr(0, text.find(';'));
  auto slash = type.find('/');
  if (text.size() > 255 || slash == 0 || slash == type.npos
      || slash + 1 == type.size())
    return false;
  return all(text, [](char c) { return c >= 0x20 && c < 0x7f; })
         && type.find_first_of(" ,\"") == type.npos
         && type.find('/', slash + 1) == type.npos;
}

bool is_traceparent(std::string_view text) {
  return text.size() == 55 && text.starts_with("00-") && text[35] == '-'
         && text[52] == '-' && is_lower_hex(text.substr(3, 32))
         && is_lower_hex(text.substr(36, 16)) && is_lower_hex(text.substr(53))
         && text.substr(3, 32).find_first_not_of('0') != text.npos
         && text.substr(36, 16).find_first_not_of('0') != text.npos;
}

} // namespace postrider::api
