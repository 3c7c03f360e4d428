#include "app/api/json_place.hpp"

#include <simdjson.h>

namespace postrider::api {

namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

/// On-Demand does not look at the depth: this bounds the recursion.
constexpr int max_depth = 1024;

/// Reads values until one is wrong or too deep.
class reader {
public:
  /// Where the last token that was read starts.
  const char* at() const { return at_; }

  error_code read(ondemand::value value) {
    at_ = value.raw_json_token().data();
    ondemand::json_type type{};
    if (auto error = value.type().get(type))
      return error;
    switch (type) {
    case ondemand::json_type::object:
    case ondemand::json_type::array:
      return read_nested(value, type == ondemand::json_type::object);
    case ondemand::json_type::string:
      return value.get_string().error();
    case ondemand::json_type::number:
      return value.get_double().error();
    case ondemand::json_type::boolean:
      return value.get_bool().error();
    case ondemand::json_type::null:
      break;
    }
    bool null = false;
    auto error = value.is_null().get(null);
    return error || null ? error : error_code::N_ATOM_ERROR;
  }

private:
  error_code read_nested(ondemand::value& value, bool object) {
    if (depth_ == max_depth)
      return error_code::DEPTH_ERROR;
    ++depth_;
    auto error = object ? read_object(value) : read_array(value);
    --depth_;
    return error;
  }

  error_code read_object(ondemand::value& value) {
    ondemand::object object;
    if (auto error = value.get_object().get(object))
      return error;
    for (auto each : object) {
      ondemand::field field;
      if (auto error = std::move(each).get(field))
        return error;
      at_ = field.key().raw() - 1;
      if (auto error = field.unescaped_key().error())
        return error;
      if (auto error = read(std::move(field).value()))
        return error;
    }
    return error_code::SUCCESS;
  }

  error_code read_array(ondemand::value& value) {
    ondemand::array array;
    if (auto error = value.get_array().get(array))
      return error;
    for (auto each : array) {
      ondemand::value element;
      if (auto error = std::move(each).get(element))
        return error;
      if (auto error = read(element))
        return error;
    }
    return error_code::SUCCESS;
  }

  const char* at_ = nullptr;
  int depth_ = 0;
};

bool is_of_a_token(error_code error) {
  return error != error_code::SUCCESS && error != error_code::TAPE_ERROR
         && error != error_code::INCOMPLETE_ARRAY_OR_OBJECT;
}

/// The first control byte within a string.
std::size_t find_control(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && static_cast<unsigned char>(text[at]) < 0x20)
      return at;
    if (text[at] == '"')
      quoted = !quoted;
    else if (quoted && text[at] == '\\')
      ++at;
  }
  return text.size();
}

} // namespace

std::size_t find_json_fault(std::string_view text) {
  simdjson::padded_string copy{text};
  ondemand::parser parser;
  ondemand::document document;
  if (auto error = parser.iterate(copy).get(document))
    return error == error_code::UNESCAPED_CHARS ? find_control(text)
                                                : text.size();
  reader read;
  ondemand::value root;
  if (document.get_value().get(root))
    return std::min(text.find_first_not_of(" \t\r\n"), text.size());
  auto error = read.read(root);
  const char* at = nullptr;
  if (is_of_a_token(error))
    at = read.at();
  else if (document.current_location().get(at))
    return text.size();
  return std::min(static_cast<std::size_t>(at - copy.data()), text.size());
}

} // namespace postrider::api
