#include "core/base64.hpp"

#include <array>
#include <cstdint>

namespace postrider {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<std::uint8_t>(alphabet[i])] =
        static_cast<std::uint8_t>(i);
  return values;
}

constexpr auto value_of = make_values();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0u;
}

} // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8
                          | byte_at(bytes, i + 2);
    text += alphabet[group >> 18];
    text += alphabet[group >> 12 & 63];
    text += i + 1 < bytes.size() ? alphabet[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? alphabet[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.ends_with('=')) {
    if (text.size() % 4 != 0)
      return std::nullopt;
    text.remove_suffix(text.ends_with("==") ? 2 : 1);
  }
  if (text.size() % 4 == 1)
    return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t pending = 0;
  int bits = 0;
  for (char c : text) {
    auto value = value_of[static_cast<std::uint8_t>(c)];
    if (value == no_digit)
      return std::nullopt;
    pending = pending << 6 | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(pending >> bits & 0xFF);
      pending &= (1u << bits) - 1;
    }
  }
  if (pending != 0) // two spellings of the same bytes are one too many
    return std::nullopt;
  return bytes;
}

std::string encode_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (char c : bytes) {
    auto value = static_cast<std::uint8_t>(c);
    text += digits[value >> 4];
    text += digits[value & 0x0F];
  }
  return text;
}

} // namespace postrider
