#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace postrider::api {

/// Appends JSON to a text. Commas come by themselves; what is written is valid
/// UTF-8 whatever is put in: a byte that is none becomes U+FFFD.
class json_writer {
public:
  json_writer& begin_object();
  json_writer& end_object();
  json_writer& begin_array();
  json_writer& end_array();
  json_writer& key(std::string_view name);

  json_writer& string(std::string_view text);
  json_writer& number(std::int64_t value);
  json_writer& decimal(double value); ///< a finite one, without exponent
  json_writer& seconds(std::int64_t milliseconds); ///< `1.5`
  json_writer& boolean(bool value);
  json_writer& null();

  /// A member with a text; left out when the text is empty.
  json_writer& text_if(std::string_view name, std::string_view text);

  std::string take() { return std::move(out_); }

private:
  void separate();

  std::string out_;
};

} // namespace postrider::api
