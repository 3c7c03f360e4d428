#include "net/client/chunked_body.hpp"

#include <algorithm>

namespace postrider::net::client {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

chunked_body::piece chunked_body::feed(std::string_view bytes) {
  piece result;
  while (result.taken < bytes.size() && !over()) {
    if (state_ != state::content) {
      state_ = step(bytes[result.taken++]);
      continue;
    }
    const auto size =
        std::min<std::uint64_t>(left_, bytes.size() - result.taken);
    result.payload = bytes.substr(result.taken, size);
    result.taken += size;
    left_ -= size;
    if (left_ == 0)
      state_ = state::content_cr;
    return result;
  }
  return result;
}

chunked_body::state chunked_body::after_size(char c) const {
  if (c == '\r')
    return state::size_end;
  if (c == ';' || c == ' ' || c == '\t')
    return state::extension;
  return state::malformed;
}

chunked_body::state chunked_body::step(char c) {
  const auto expect = [c](char wanted, state next) {
    return c == wanted ? next : state::malformed;
  };
  switch (state_) {
  case state::size_first:
  case state::size: {
    const int value = hex_value(c);
    if (value < 0)
      return state_ == state::size ? after_size(c) : state::malformed;
    if (left_ >> 60 != 0)
      return state::malformed;
    left_ = left_ * 16 + static_cast<std::uint64_t>(value);
    return state::size;
  }
  case state::extension:
    if (c == '\n' || c == '\0')
      return state::malformed;
    return c == '\r' ? state::size_end : state::extension;
  case state::size_end:
    return expect('\n', left_ == 0 ? state::trailer_first : state::content);
  case state::content_cr:
    return expect('\r', state::content_end);
  case state::content_end:
    return expect('\n', state::size_first);
  case state::trailer_first:
    if (c == '\r')
      return state::last_end;
    [[fallthrough]];
  case state::trailer:
    if (c == '\n' || c == '\0')
      return state::malformed;
    return c == '\r' ? state::trailer_end : state::trailer;
  case state::trailer_end:
    return expect('\n', state::trailer_first);
  case state::last_end:
    return expect('\n', state::done);
  default:
    return state_;
  }
}

} // namespace postrider::net::client
