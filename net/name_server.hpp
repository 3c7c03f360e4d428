#pragma once

#include "core/address.hpp"

#include <cstdint>

namespace postrider::net {

/// A name server by its IPv4 address.
struct name_server {
  ip_address address;
  std::uint16_t port = 53;
};

} // namespace postrider::net
