#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postrider {

/// One header field as it goes over the wire.
struct header {
  std::string name;
  std::string value;

  friend bool operator==(const header&, const header&) = default;
};

/// What is wrong with a header that a customer wants to have sent: the name is
/// no token, the value holds a control byte or non-ASCII, the name belongs to
/// us (`webhook-*`, `host`, `content-length`, `content-type`, `connection` and
/// the other fields that frame a request, `traceparent`, `user-agent`, or the
/// configured prefix), or one of both is too long (name 128, value 4096
/// bytes). Nothing when it may be sent. Never repeats the value.
/// (DESIGN 7, case HDR-01.)
std::optional<std::string>
refuse_header(const header& candidate,
              std::string_view reserved_prefix = "X-Postrider-");

/// Compares header names without regard to ASCII case.
bool same_header_name(std::string_view a, std::string_view b);

} // namespace postrider
