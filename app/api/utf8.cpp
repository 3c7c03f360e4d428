#include "app/api/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace postrider::api {

std::size_t utf8_length(std::string_view text) {
  auto byte = [&text](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  auto first = byte(0);
  if (first < 0x80)
    return 1;
  // The range of the second byte shuts out overlong forms, surrogates and
  // what lies above U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xbf;
  std::size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    low = first == 0xe0 ? 0xa0 : low;
    high = first == 0xed ? 0x9f : high;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    low = first == 0xf0 ? 0x90 : low;
    high = first == 0xf4 ? 0x8f : high;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high)
    return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf)
      return 0;
  return length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080'8080'8080'8080) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    auto length = utf8_length(text.substr(at));
    if (length == 0)
      return at;
    at += length;
  }
  return std::string_view::npos;
}

} // namespace postrider::api
