#include "app/api/json_writer.hpp"

#include "app/api/utf8.hpp"

#include <charconv>

namespace postrider::api {

namespace {

bool is_plain(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

void append_special(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto byte = static_cast<unsigned char>(c);
  switch (c) {
  case '"':
    out += "\\\"";
    break;
  case '\\':
    out += "\\\\";
    break;
  case '\n':
    out += "\\n";
    break;
  case '\r':
    out += "\\r";
    break;
  case '\t':
    out += "\\t";
    break;
  default:
    out += "\\u00";
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
}

} // namespace

void json_writer::separate() {
  if (out_.empty())
    return;
  auto last = out_.back();
  if (last != '{' && last != '[' && last != ':')
    out_ += ',';
}

json_writer& json_writer::begin_object() {
  separate();
  out_ += '{';
  return *this;
}

json_writer& json_writer::end_object() {
  out_ += '}';
  return *this;
}

json_writer& json_writer::begin_array() {
  separate();
  out_ += '[';
  return *this;
}

json_writer& json_writer::end_array() {
  out_ += ']';
  return *this;
}

json_writer& json_writer::key(std::string_view name) {
  string(name);
  out_ += ':';
  return *this;
}

json_writer& json_writer::string(std::string_view text) {
  separate();
  out_ += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain]))
      ++plain;
    out_.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty())
      break;
    auto length = utf8_length(text);
    if (length == 0) {
      out_ += "\xef\xbf\xbd";
      length = 1;
    } else if (length == 1) {
      append_special(out_, text.front());
    } else {
      out_.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out_ += '"';
  return *this;
}

json_writer& json_writer::number(std::int64_t value) {
  separate();
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return *this;
}

json_writer& json_writer::decimal(double value) {
  separate();
  char digits[400];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value,
                                    std::chars_format::fixed)
                          .ptr);
  return *this;
}

json_writer& json_writer::seconds(std::int64_t milliseconds) {
  number(milliseconds / 1000);
  if (auto rest = milliseconds % 1000; rest != 0) {
    auto digits = std::to_string(1000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    out_.append(".").append(digits);
  }
  return *this;
}

json_writer& json_writer::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

json_writer& json_writer::null() {
  separate();
  out_ += "null";
  return *this;
}

json_writer& json_writer::text_if(std::string_view name,
                                  std::string_view text) {
  if (!text.empty())
    key(name).string(text);
  return *this;
}

} // namespace postrider::api
