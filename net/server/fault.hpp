#pragma once

#include <string>

namespace postrider::net::server {

/// Why a request is refused before anybody handles it.
struct framing_fault {
  int status = 400;
  std::string detail;
};

} // namespace postrider::net::server
