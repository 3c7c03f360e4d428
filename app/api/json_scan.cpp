#include "app/api/json_scan.hpp"

#include <cstdint>
#include <cstring>

namespace postrider::api {

std::size_t plain_run(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  constexpr std::uint64_t highs = 0x8080'8080'8080'8080;
  auto has_zero = [](std::uint64_t word) {
    return (word - ones) & ~word & highs;
  };
  std::size_t at = 0;
  for (std::uint64_t word = 0; text.size() - at >= sizeof word;
       at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    auto below_space = (word - ones * 0x20) & ~word & highs;
    if (below_space | has_zero(word ^ ones * '"')
        | has_zero(word ^ ones * '\\'))
      break;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\'
         && static_cast<unsigned char>(text[at]) >= 0x20)
    ++at;
  return at;
}

} // namespace postrider::api
