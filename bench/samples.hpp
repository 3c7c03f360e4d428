#pragma once

#include "core/model.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

// What the benchmarks work on: deliveries as they are met in service.
namespace postrider::bench {

/// So many endpoints have something to be delivered at a time.
inline constexpr std::int64_t endpoints = 256;

/// JSON of that many bytes.
inline std::string payload(std::size_t bytes = 1'024) {
  std::string out = R"({"order":17,"total":"10.50","note":")";
  out.resize(bytes - 2, 'n');
  return out + "\"}";
}

inline uuid event_id(std::int64_t number) {
  uuid out{{0x01, 0x93, 0x7a, 0x5c, 0x2e, 0x10, 0x7b}};
  for (std::size_t i = 0; i < 8; ++i)
    out.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return out;
}

inline event_content event(std::int64_t number = 1) {
  event_content out;
  out.id = event_id(number);
  out.type = "order.paid";
  out.content_type = "application/json";
  out.payload = std::make_shared<const std::string>(payload());
  return out;
}

inline delivery row(std::int64_t id) {
  delivery out;
  out.id = id;
  out.partition = static_cast<std::uint16_t>(id % endpoints);
  out.endpoint = 1 + id % endpoints;
  out.event = event_id(id);
  out.size = 1'024;
  out.remaining = std::chrono::hours{96};
  return out;
}

/// With one secret.
inline endpoint receiver(std::int64_t id = 1) {
  endpoint out;
  out.id = id;
  out.public_id = event_id(id);
  out.tenant = "acme";
  out.version = 1;
  out.target = std::get<url>(
      parse_url("https://hooks.example.com/in/orders?source=postrider"));
  out.retry = *find_retry_policy("default");
  out.keys = {*signing_key::from_bytes(std::string(32, 'k'))};
  return out;
}

} // namespace postrider::bench
