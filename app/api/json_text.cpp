#include "app/api/json_text.hpp"

#include "app/api/json_scan.hpp"
#include "app/api/utf8.hpp"

#include <bitset>

namespace postrider::api {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Walks over one value; what is open is kept as one bit for each level.
class checker {
public:
  explicit checker(std::string_view text) : text_{text} {}

  std::optional<json_fault> run() {
    while (!fault_) {
      if (!begin_value())
        continue; // an opened array or object: its first part comes next
      if (end_values())
        break;
    }
    if (!fault_ && at_ != text_.size())
      fail("something stands after the JSON value");
    return fault_;
  }

private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_]))
      ++at_;
  }

  void fail(std::string_view what) {
    if (!fault_)
      fault_ = json_fault{at_, at_ >= text_.size() ? "the JSON ends too early"
                                                   : what};
  }

  bool open(bool object) {
    ++at_;
    if (depth_ == max_json_depth) {
      fault_ = json_fault{at_, "arrays and objects are nested too deeply"};
      return true;
    }
    object_[depth_++] = object;
    skip_space();
    if (peek() == (object ? '}' : ']')) {
      ++at_;
      --depth_;
      return true;
    }
    if (object)
      key();
    return false;
  }

  /// True when a whole value was read, or a fault was found.
  bool begin_value() {
    skip_space();
    switch (peek()) {
    case '{':
      return open(true);
    case '[':
      return open(false);
    case '"':
      string();
      break;
    case 't':
      literal("true");
      break;
    case 'f':
      literal("false");
      break;
    case 'n':
      literal("null");
      break;
    default:
      number();
    }
    return true;
  }

  /// Closes what ends here; true when the outermost value has ended.
  bool end_values() {
    for (;;) {
      skip_space();
      if (fault_ || depth_ == 0)
        return true;
      bool object = object_[depth_ - 1];
      if (peek() == ',') {
        ++at_;
        if (object) {
          skip_space();
          key();
        }
        return false;
      }
      if (peek() != (object ? '}' : ']')) {
        fail(object ? "a comma or } is expected" : "a comma or ] is expected");
        return true;
      }
      ++at_;
      --depth_;
    }
  }

  void key() {
    if (peek() != '"')
      return fail("a member name in quotes is expected");
    string();
    skip_space();
    if (fault_ || peek() != ':')
      return fail("a colon is expected");
    ++at_;
  }

  void literal(std::string_view word) {
    if (text_.substr(at_, word.size()) != word)
      return fail("a JSON value is expected");
    at_ += word.size();
  }

  void digits() {
    if (!is_digit(peek()))
      return fail("a digit is expected");
    while (is_digit(peek()))
      ++at_;
  }

  void number() {
    if (peek() != '-' && !is_digit(peek()))
      return fail("a JSON value is expected");
    if (peek() == '-')
      ++at_;
    if (peek() == '0')
      ++at_;
    else
      digits();
    if (peek() == '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-')
        ++at_;
      digits();
    }
  }

  void escape() {
    ++at_;
    auto c = peek();
    ++at_;
    if (c == 'u') {
      for (int i = 0; i < 4; ++i, ++at_)
        if (!is_hex(peek()))
          return fail("four hexadecimal digits are expected after \\u");
    } else if (c == '\0'
               || std::string_view{"\"\\/bfnrt"}.find(c) == text_.npos) {
      --at_;
      fail("this escape does not exist in JSON");
    }
  }

  void string() {
    ++at_;
    while (!fault_) {
      at_ += plain_run(text_.substr(at_));
      if (at_ < text_.size() && text_[at_] == '\\') {
        escape();
      } else if (at_ < text_.size() && text_[at_] == '"') {
        ++at_;
        return;
      } else {
        fail("a control character in a string must be escaped");
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::bitset<max_json_depth> object_;
  std::optional<json_fault> fault_;
};

} // namespace

std::variant<json_value, json_fault> read_json(std::string_view text) {
  if (auto offset = find_invalid_utf8(text); offset != text.npos)
    return json_fault{offset, "the text is not UTF-8"};
  if (auto fault = checker{text}.run())
    return *fault;
  while (is_space(text.front()))
    text.remove_prefix(1);
  while (is_space(text.back()))
    text.remove_suffix(1);
  return json_value{json_kind_of(text.front()), text};
}

std::string_view describe(json_kind kind) {
  switch (kind) {
  case json_kind::null:
    return "null";
  case json_kind::boolean:
    return "a boolean";
  case json_kind::number:
    return "a number";
  case json_kind::string:
    return "a string";
  case json_kind::object:
    return "an object";
  case json_kind::array:
    return "an array";
  }
  return "";
}

} // namespace postrider::api
