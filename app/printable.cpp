#include "app/printable.hpp"

#include <fmt/format.h>

namespace postrider::app {

std::string printable(std::string_view text, bool keep_lines) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size()
                          ? static_cast<unsigned char>(text[i + 1])
                          : std::uint8_t{0};
    if (keep_lines && (byte == '\n' || byte == '\t'))
      shown += text[i];
    else if (byte < ' ' || byte == 127)
      shown += fmt::format("\\x{:02x}", byte);
    // U+0080 to U+009F, which some terminals obey.
    else if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    else
      shown += text[i];
  }
  return shown;
}

} // namespace postrider::app
