#pragma once

#include <string_view>

namespace postrider::net::server {

/// Why a request is refused before anybody handles it.
struct framing_fault {
  int status = 400;
  std::string_view detail; ///< a literal
};

} // namespace postrider::net::server
