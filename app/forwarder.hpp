#pragma once

#include "core/url.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"

#include <functional>
#include <string>

namespace postrider::app {

/// Passes requests on to another address, as they came but for the headers
/// that belong to a connection.
class forwarder {
public:
  /// Throws `failure` (wrong usage) for a URL that can't be used.
  explicit forwarder(const std::string& url);

  /// `done` gets the status of the answer, 502 when there is none. Thread-safe.
  void pass_on(const net::server_request& request,
               std::function<void(int)> done);
  void stop() { client_.stop(); }

private:
  url target_;
  net::http_client client_;
};

} // namespace postrider::app
