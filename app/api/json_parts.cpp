#include "app/api/json_text.hpp"

#include <charconv>

namespace postrider::api {

namespace {

/// Steps through text that `read_json` has found to be JSON; no check is
/// repeated here.
class walker {
public:
  explicit walker(std::string_view text) : text_{text} {}

  /// Skips white space, commas, colons: what stands between two values.
  bool at_end() {
    while (at_ < text_.size()
           && std::string_view{" \n\r\t,:"}.find(text_[at_]) != text_.npos)
      ++at_;
    return at_ >= text_.size();
  }

  json_value next() {
    auto start = at_;
    auto first = text_[at_];
    if (first == '"')
      skip_string();
    else if (first == '{' || first == '[')
      skip_nested();
    else
      at_ = std::min(text_.find_first_of(" \n\r\t,:]}", at_), text_.size());
    return {json_kind_of(first), text_.substr(start, at_ - start)};
  }

private:
  void skip_string() {
    auto from = at_ + 1;
    for (;;) {
      auto quote = text_.find('"', from);
      auto plain = quote;
      while (plain > from && text_[plain - 1] == '\\')
        --plain;
      from = quote + 1;
      // An odd number of backslashes escapes the quote.
      if ((quote - plain) % 2 == 0)
        break;
    }
    at_ = from;
  }

  void skip_nested() {
    std::size_t depth = 0;
    do {
      switch (text_[at_]) {
      case '"':
        skip_string();
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        --depth;
        break;
      default:
        break;
      }
      ++at_;
    } while (depth != 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view inside(const json_value& value) {
  return value.text.substr(1, value.text.size() - 2);
}

unsigned hex4(std::string_view text) {
  unsigned unit = 0;
  std::from_chars(text.data(), text.data() + 4, unit, 16);
  return unit;
}

void append_code_point(std::string& out, unsigned code) {
  auto put = [&out](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

/// Reads what follows `\u` at the front of `rest` and steps over it.
bool append_unicode_escape(std::string& out, std::string_view& rest) {
  auto code = hex4(rest);
  rest.remove_prefix(4);
  if (code >= 0xdc00 && code <= 0xdfff)
    return false;
  if (code >= 0xd800 && code <= 0xdbff) {
    if (!rest.starts_with("\\u"))
      return false;
    auto low = hex4(rest.substr(2));
    if (low < 0xdc00 || low > 0xdfff)
      return false;
    rest.remove_prefix(6);
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  append_code_point(out, code);
  return true;
}

char plain_escape(char c) {
  switch (c) {
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return c;
  }
}

} // namespace

json_kind json_kind_of(char first) {
  switch (first) {
  case '{':
    return json_kind::object;
  case '[':
    return json_kind::array;
  case '"':
    return json_kind::string;
  case 't':
  case 'f':
    return json_kind::boolean;
  case 'n':
    return json_kind::null;
  default:
    return json_kind::number;
  }
}

std::vector<json_member> members_of(const json_value& object) {
  std::vector<json_member> result;
  walker walk{inside(object)};
  while (!walk.at_end()) {
    auto key = walk.next();
    walk.at_end();
    // A name that is no text equals none of ours, whatever stands for it.
    result.push_back({unescape(key).value_or("\xef\xbf\xbd"), walk.next()});
  }
  return result;
}

std::vector<json_value> elements_of(const json_value& array) {
  std::vector<json_value> result;
  walker walk{inside(array)};
  while (!walk.at_end())
    result.push_back(walk.next());
  return result;
}

std::optional<std::string> unescape(const json_value& string) {
  auto rest = inside(string);
  std::string out;
  out.reserve(rest.size());
  while (!rest.empty()) {
    auto plain = std::min(rest.find('\\'), rest.size());
    out.append(rest.substr(0, plain));
    rest.remove_prefix(plain);
    if (rest.empty())
      break;
    auto c = rest[1];
    rest.remove_prefix(2);
    if (c != 'u')
      out.push_back(plain_escape(c));
    else if (!append_unicode_escape(out, rest))
      return {};
  }
  return out;
}

} // namespace postrider::api
