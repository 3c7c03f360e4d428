#pragma once

#include "net/client/response_reader.hpp"
#include "net/client/tls.hpp"
#include "net/http_client.hpp"

#include <memory>
#include <utility>

namespace postrider::net::client {

/// Options and what is made of them. Several clients may share one; it lives
/// as long as a connection that was opened under it.
struct settings {
  /// Throws `std::runtime_error` when the CA file can't be used.
  explicit settings(http_client_options given)
      : options{std::move(given)},
        limits{options.header_limit, options.body_limit, options.excerpt_limit},
        tls{options.ca_file} {}

  http_client_options options;
  response_limits limits;
  tls_context tls;
};

} // namespace postrider::net::client
