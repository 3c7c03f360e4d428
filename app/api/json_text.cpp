#include "app/api/json_text.hpp"

#include "app/api/json_place.hpp"
#include "app/api/json_tame.hpp"
#include "app/api/utf8.hpp"

#include <simdjson.h>

#include <algorithm>

namespace postrider::api {

namespace {

using simdjson::error_code;

constexpr std::string_view space = " \t\r\n";

error_code judge(std::string_view text, bool padded) {
  // Its memory is kept: some 15 times the largest text of the thread.
  thread_local simdjson::dom::parser parser;
  return parser.parse(text.data(), text.size(), !padded).error();
}

std::string_view describe(error_code error) {
  switch (error) {
  case error_code::CAPACITY:
  case error_code::MEMALLOC:
    return "the JSON is too large";
  case error_code::DEPTH_ERROR:
    return "arrays and objects are nested too deeply";
  case error_code::STRING_ERROR:
    return "a string holds an escape that does not exist in JSON";
  case error_code::T_ATOM_ERROR:
  case error_code::F_ATOM_ERROR:
  case error_code::N_ATOM_ERROR:
    return "a word is none of true, false and null";
  case error_code::NUMBER_ERROR:
    return "a number is not written as JSON wants it";
  case error_code::UTF8_ERROR:
    return "the text is not UTF-8";
  case error_code::EMPTY:
    return "there is no JSON value";
  case error_code::UNESCAPED_CHARS:
    return "a control character in a string must be escaped";
  case error_code::UNCLOSED_STRING:
    return "a string is not closed";
  default:
    return "a value, comma, colon or bracket is missing or misplaced";
  }
}

json_fault explain(error_code error, std::string_view text) {
  switch (error) {
  case error_code::UTF8_ERROR:
    return {std::min(find_invalid_utf8(text), text.size()), describe(error)};
  case error_code::DEPTH_ERROR:
  case error_code::CAPACITY:
  case error_code::MEMALLOC:
    return {0, describe(error)};
  default:
    break;
  }
  auto place = find_json_fault(text);
  if (place == text.size() && error == error_code::TAPE_ERROR)
    return {place, "the JSON ends too early"};
  return {place, describe(error)};
}

} // namespace

std::variant<json_value, json_fault> read_json(std::string_view text,
                                               std::size_t slack) {
  auto error = judge(text, slack >= simdjson::SIMDJSON_PADDING);
  if (error == error_code::NUMBER_ERROR || error == error_code::STRING_ERROR) {
    auto tame = tame_json(text);
    error = judge(tame, false);
    if (error)
      return explain(error, tame);
  }
  if (error)
    return explain(error, text);
  text.remove_prefix(text.find_first_not_of(space));
  text.remove_suffix(text.size() - 1 - text.find_last_not_of(space));
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
