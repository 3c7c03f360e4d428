#include "core/public_id.hpp"

#include <array>
#include <cassert>

namespace postrider {

namespace {

using words = std::array<std::uint64_t, 2>;

constexpr std::size_t digits = 26; // 130 bits; the top two are zero
constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::int64_t max_id = (std::int64_t{1} << 48) - 1;

std::string encode(std::string_view prefix, words value) {
  std::string text(prefix.size() + digits, '\0');
  text.replace(0, prefix.size(), prefix);
  for (std::size_t i = digits; i-- > 0;) {
    text[prefix.size() + i] = alphabet[value[1] & 31];
    value[1] = value[1] >> 5 | value[0] << 59;
    value[0] >>= 5;
  }
  return text;
}

std::optional<words> decode(std::string_view prefix, std::string_view text) {
  if (text.size() != prefix.size() + digits || !text.starts_with(prefix))
    return std::nullopt;
  text.remove_prefix(prefix.size());
  if (text.front() > '7') // the two bits above 128 must be zero
    return std::nullopt;
  words value{};
  for (char c : text) {
    auto digit = alphabet.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    value[0] = value[0] << 5 | value[1] >> 59;
    value[1] = value[1] << 5 | digit;
  }
  return value;
}

words words_of(const uuid& id) {
  words value{};
  for (std::size_t i = 0; i < 16; ++i)
    value[i / 8] = value[i / 8] << 8 | id.bytes[i];
  return value;
}

uuid uuid_of(const words& value) {
  uuid id;
  for (std::size_t i = 0; i < 16; ++i)
    id.bytes[i] = static_cast<std::uint8_t>(value[i / 8] >> (56 - i % 8 * 8));
  return id;
}

std::optional<uuid> decode_uuid(std::string_view prefix,
                                std::string_view text) {
  if (auto value = decode(prefix, text))
    return uuid_of(*value);
  return std::nullopt;
}

std::string encode_row(std::string_view prefix, const delivery_ref& ref,
                       std::uint16_t low) {
  assert(ref.id >= 1 && ref.id <= max_id);
  return encode(prefix,
                {static_cast<std::uint64_t>(ref.id) << 16 | low, ref.salt});
}

} // namespace

std::uint64_t salt_of(const uuid& event) {
  return words_of(event)[1];
}

std::string event_public_id(const uuid& id) {
  return encode("evt_", words_of(id));
}

std::string endpoint_public_id(const uuid& id) {
  return encode("ep_", words_of(id));
}

std::string delivery_public_id(const delivery_ref& ref) {
  return encode_row("dlv_", ref, ref.partition);
}

std::string attempt_public_id(const delivery_ref& ref, int number) {
  assert(number >= 0 && number <= 0xFFFF);
  return encode_row("att_", ref, static_cast<std::uint16_t>(number));
}

std::optional<uuid> parse_event_id(std::string_view text) {
  return decode_uuid("evt_", text);
}

std::optional<uuid> parse_endpoint_id(std::string_view text) {
  return decode_uuid("ep_", text);
}

std::optional<delivery_ref> parse_delivery_id(std::string_view text) {
  auto value = decode("dlv_", text);
  if (!value)
    return std::nullopt;
  delivery_ref ref;
  ref.id = static_cast<std::int64_t>((*value)[0] >> 16);
  ref.partition = static_cast<std::uint16_t>((*value)[0] & 0xFFFF);
  ref.salt = (*value)[1];
  if (ref.id == 0)
    return std::nullopt;
  return ref;
}

std::optional<attempt_ref> parse_attempt_id(std::string_view text) {
  auto value = decode("att_", text);
  if (!value || (*value)[0] >> 16 == 0)
    return std::nullopt;
  return attempt_ref{static_cast<std::int64_t>((*value)[0] >> 16),
                     static_cast<int>((*value)[0] & 0xFFFF), (*value)[1]};
}

} // namespace postrider
