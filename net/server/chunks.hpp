#pragma once

#include "net/server/head.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::net::server {

/// Reads a chunked body from a buffer that grows. One spelling only: plain
/// hexadecimal sizes, short extensions without quotes, CRLF everywhere.
/// Trailers are checked for form and dropped: they have no effect.
class chunk_reader {
public:
  explicit chunk_reader(std::size_t body_limit) : limit_{body_limit} {}

  struct progress {
    std::size_t used = 0; ///< bytes of the input that may be forgotten
    bool done = false;
    std::optional<framing_fault> fault;
  };

  /// Appends what `text` holds of the body to `body`. Bytes that were not
  /// used have to stand at the front of the next call.
  progress read(std::string_view text, std::string& body);

private:
  enum class state : std::uint8_t { size, data, data_end, trailer };

  std::optional<framing_fault> read_size(std::string_view line,
                                         std::size_t body);

  std::size_t limit_;
  state state_ = state::size;
  std::size_t left_ = 0;     ///< of the chunk
  std::size_t trailers_ = 0; ///< bytes of them
};

} // namespace postrider::net::server
