#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postrider::api {

enum class json_kind : std::uint8_t {
  null,
  boolean,
  number,
  string,
  object,
  array,
};

/// `a string`, `an object`, …: for error texts.
std::string_view describe(json_kind kind);

/// What a value that starts with this byte is.
json_kind json_kind_of(char first);

/// A value as its own text, every byte as it came, without the white space
/// around it. Views the text that was read.
struct json_value {
  json_kind kind = json_kind::null;
  std::string_view text;
};

struct json_member {
  std::string key; ///< unescaped
  json_value value;
};

struct json_fault {
  std::size_t offset = 0; ///< of the token that is wrong
  std::string_view what;  ///< a literal; never quotes the input
};

/// Checks that `text` is exactly one JSON value (RFC 8259) in UTF-8, nested
/// less than 1024 deep. simdjson is the judge; but numbers are judged by their
/// grammar alone, so that those beyond any machine type pass as they are, and
/// unpaired surrogate escapes pass too. Linear time. (JSON-01 to JSON-11.)
///
/// `slack` says how many bytes behind `text` may be read, whatever they hold:
/// with 64 of them the text need not be copied.
std::variant<json_value, json_fault> read_json(std::string_view text,
                                               std::size_t slack = 0);

/// The parts of a value that came out of `read_json`, in their order.
std::vector<json_member> members_of(const json_value& object);
std::vector<json_value> elements_of(const json_value& array);

/// The text that a string stands for; nothing when it holds an unpaired
/// surrogate, which no UTF-8 text can.
std::optional<std::string> unescape(const json_value& string);

} // namespace postrider::api
