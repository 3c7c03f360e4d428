#include "app/api/json_text.hpp"

#include <simdjson.h>

#include <algorithm>

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
  auto text = inside(string);
  if (text.find('\\') == text.npos)
    return std::string{text};
  thread_local simdjson::dom::parser parser;
  std::string_view plain;
  if (parser.parse(string.text.data(), string.text.size()).get(plain))
    return {};
  return std::string{plain};
}

} // namespace postrider::api
