#pragma once

#include "core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postrider {

/// What the public id of a delivery says: where the row stands, and 64 random
/// bits of its event, so that an id is never reused after a restored backup
/// and can't be guessed. It needs no column and no index of its own.
struct delivery_ref {
  std::int64_t id = 0; ///< 1 to 2^48 - 1
  std::uint16_t partition = 0;
  std::uint64_t salt = 0; ///< the last eight bytes of the event's id

  friend bool operator==(const delivery_ref&, const delivery_ref&) = default;
};

/// The salt that `delivery_ref` takes from its event.
std::uint64_t salt_of(const uuid& event);

/// `evt_` and 26 characters of lower-case Crockford base32.
std::string event_public_id(const uuid& id);
/// `ep_` and 26 characters.
std::string endpoint_public_id(const uuid& id);
/// `dlv_` and 26 characters; this is the `webhook-id`.
std::string delivery_public_id(const delivery_ref& ref);
/// `att_` and 26 characters: the delivery's id, the attempt's number, the salt.
std::string attempt_public_id(const delivery_ref& ref, int number);

/// The inverse of each; nothing for another prefix, length or alphabet.
std::optional<uuid> parse_event_id(std::string_view text);
std::optional<uuid> parse_endpoint_id(std::string_view text);
std::optional<delivery_ref> parse_delivery_id(std::string_view text);

/// What an attempt's id says; it does not name the partition.
struct attempt_ref {
  std::int64_t delivery = 0;
  int number = 0;
  std::uint64_t salt = 0;
};
std::optional<attempt_ref> parse_attempt_id(std::string_view text);

} // namespace postrider
