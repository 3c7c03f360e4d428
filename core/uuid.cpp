#include "core/uuid.hpp"

#include <algorithm>

namespace postrider {

namespace {

// Where a dash stands in front of a byte of the text form.
bool dash_before(std::size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F')
    return digit - 'A' + 10;
  return -1;
}

} // namespace

uuid make_uuid_v7(std::chrono::sys_time<std::chrono::milliseconds> now,
                  std::span<const std::uint8_t, 10> random) {
  uuid id;
  auto millis = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (std::size_t i = 6; i-- > 0; millis >>= 8)
    id.bytes[i] = static_cast<std::uint8_t>(millis & 0xFF);
  std::ranges::copy(random, id.bytes.begin() + 6);
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | (id.bytes[6] & 0x0F));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3F));
  return id;
}

std::chrono::sys_time<std::chrono::milliseconds> time_of(const uuid& id) {
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i)
    millis = millis << 8 | id.bytes[i];
  return std::chrono::sys_time{std::chrono::milliseconds{millis}};
}

std::string to_string(const uuid& id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    if (dash_before(i))
      text += '-';
    text += digits[id.bytes[i] >> 4];
    text += digits[id.bytes[i] & 0x0F];
  }
  return text;
}

std::optional<uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36)
    return std::nullopt;
  uuid id;
  std::size_t at = 0;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    if (dash_before(i) && text[at++] != '-')
      return std::nullopt;
    int high = hex_value(text[at]);
    int low = hex_value(text[at + 1]);
    if (high < 0 || low < 0)
      return std::nullopt;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
    at += 2;
  }
  return id;
}

} // namespace postrider
