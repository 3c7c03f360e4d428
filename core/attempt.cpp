#include "core/attempt.hpp"

namespace postrider {

std::string_view to_string(attempt_error error) {
  switch (error) {
  case attempt_error::none:
    return "";
  case attempt_error::dns_failure:
    return "dns_failure";
  case attempt_error::dns_unavailable:
    return "dns_unavailable";
  case attempt_error::address_blocked:
    return "address_blocked";
  case attempt_error::connect_refused:
    return "connect_refused";
  case attempt_error::connect_timeout:
    return "connect_timeout";
  case attempt_error::connect_failed:
    return "connect_failed";
  case attempt_error::network_unreachable:
    return "network_unreachable";
  case attempt_error::tls_failure:
    return "tls_failure";
  case attempt_error::tls_certificate:
    return "tls_certificate";
  case attempt_error::write_timeout:
    return "write_timeout";
  case attempt_error::timeout_response:
    return "timeout_response";
  case attempt_error::connection_reset:
    return "connection_reset";
  case attempt_error::malformed_response:
    return "malformed_response";
  case attempt_error::headers_too_large:
    return "headers_too_large";
  case attempt_error::cancelled:
    return "cancelled";
  case attempt_error::local_resources:
    return "local_resources";
  case attempt_error::internal:
    return "internal";
  }
  return "internal";
}

std::optional<std::string_view> find_header(const std::vector<header>& headers,
                                            std::string_view name) {
  for (const auto& field : headers)
    if (same_header_name(field.name, name))
      return field.value;
  return std::nullopt;
}

} // namespace postrider
