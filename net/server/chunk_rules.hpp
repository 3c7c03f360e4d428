#pragma once

#include "net/server/fault.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postrider::net::server {

/// What stands in front of the data of a chunk.
struct chunk_line {
  std::size_t end = 0; ///< bytes up to its line feed and with it; 0: need more
  std::uint64_t size = 0;
  std::optional<framing_fault> fault;
};

/// Holds the line at the front of `text`, behind the CRLF that ends the chunk
/// before, to one spelling: 1 to 16 digits, a short extension without quotes.
/// Beast also takes blanks, quoted line ends and any length.
chunk_line read_chunk_line(std::string_view text, bool first);

/// The trailers at the front of `text` with the empty line that ends them.
/// They are checked for form and dropped: they have no effect.
struct trailers {
  std::size_t end = 0; ///< 0: need more
  std::optional<framing_fault> fault;
};

trailers read_trailers(std::string_view text);

} // namespace postrider::net::server
