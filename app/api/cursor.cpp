#include "app/api/cursor.hpp"

#include "core/base64.hpp"
#include "core/signature.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

constexpr std::size_t key_size = 8;
constexpr std::size_t check_size = 4;

/// Not a secret: it catches cut, changed and misplaced cursors.
std::string check_of(std::string_view list, std::string_view key) {
  return sha256(std::string{list} + ' ' + std::string{key})
      .substr(0, check_size);
}

std::string swapped(std::string_view text, std::string_view from,
                    std::string_view to) {
  std::string result{text};
  for (auto& c : result)
    if (auto at = from.find(c); at != from.npos)
      c = to[at];
  return result;
}

} // namespace

std::string make_cursor(std::string_view list, std::int64_t key) {
  std::string bytes(key_size, '\0');
  for (std::size_t i = key_size; i-- > 0; key >>= 8)
    bytes[i] = static_cast<char>(key & 0xff);
  // 12 bytes: base64 without padding.
  return swapped(encode_base64(bytes + check_of(list, bytes)), "+/", "-_");
}

std::optional<std::int64_t> read_cursor(std::string_view list,
                                        std::string_view text) {
  if (text.find_first_of("+/") != text.npos)
    return {};
  auto bytes = decode_base64(swapped(text, "-_", "+/"));
  if (!bytes || bytes->size() != key_size + check_size)
    return {};
  auto key_bytes = bytes->substr(0, key_size);
  if (bytes->substr(key_size) != check_of(list, key_bytes))
    return {};
  std::uint64_t key = 0;
  for (auto c : key_bytes)
    key = key << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(key);
}

} // namespace postrider::api
