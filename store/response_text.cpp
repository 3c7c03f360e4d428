#include "store/response_text.hpp"

#include <algorithm>
#include <cstdint>

namespace postrider::store {

namespace {

struct form {
  std::size_t length;
  std::uint32_t lowest; ///< a smaller code point would be overlong
};

form form_of(unsigned char lead) {
  if (lead < 0x80)
    return {1, 1}; // not NUL
  if (lead >> 5 == 0x06)
    return {2, 0x80};
  if (lead >> 4 == 0x0e)
    return {3, 0x800};
  if (lead >> 3 == 0x1e)
    return {4, 0x10000};
  return {0, 0};
}

// Bytes of the well-formed character at the start, 0 when there is none.
std::size_t character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const auto [length, lowest] = form_of(lead);
  if (length == 0 || length > text.size())
    return 0;
  std::uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 0x02)
      return 0;
    code = code << 6 | (next & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < lowest || code > 0x10ffff || surrogate ? 0 : length;
}

} // namespace

std::string response_text(std::string_view bytes) {
  bytes = bytes.substr(0, response_limit);
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto length = character(bytes);
    if (length == 0)
      out.push_back('?');
    else
      out.append(bytes.substr(0, length));
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

} // namespace postrider::store
