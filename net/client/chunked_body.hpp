#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace postrider::net::client {

/// Walks through a chunked body, in whatever pieces it comes. The caller bounds
/// how much it feeds.
class chunked_body {
public:
  struct piece {
    std::size_t taken = 0;    ///< of the bytes given
    std::string_view payload; ///< content among them, after the framing
  };

  /// Takes the next stretch of framing and at most one of content; call again
  /// with the rest until `over`.
  piece feed(std::string_view bytes);

  bool over() const { return state_ >= state::done; }
  bool malformed() const { return state_ == state::malformed; }

private:
  enum class state {
    size_first,
    size,
    extension,
    size_end,
    content,
    content_cr,
    content_end,
    trailer_first,
    trailer,
    trailer_end,
    last_end,
    done,
    malformed,
  };
  state step(char c);
  state after_size(char c) const;

  state state_ = state::size_first;
  std::uint64_t left_ = 0;
};

} // namespace postrider::net::client
