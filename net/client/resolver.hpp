#pragma once

#include "core/address.hpp"
#include "core/attempt.hpp"
#include "net/client_meters.hpp"
#include "net/name_server.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace postrider::net::client {

struct lookup_result {
  std::vector<ip_address> addresses; ///< in the order to try them
  std::string fault;                 ///< why there is none
  /// When there is none: `dns_failure`, `dns_unavailable`, or
  /// `local_resources` if this node lacked the means to ask.
  attempt_error error = attempt_error::dns_failure;
};

/// Looks names up on at most four threads of its own, each name once at a
/// time for all who ask. Names are absolute: no search domain and no hosts
/// file applies. `localhost` and what is below it are this host's loopback
/// addresses (RFC 6761). Nothing is kept: an answer serves those who wait.
class resolver {
public:
  /// Asks `server`, or the system's name servers when there is none.
  resolver(const std::optional<name_server>& server,
           std::shared_ptr<http_client_meters> meters);
  /// Forgets who waits. A thread that is inside a lookup ends by itself.
  ~resolver();
  resolver(const resolver&) = delete;
  resolver& operator=(const resolver&) = delete;

  /// Called once, under a lock and on a foreign thread or within `resolve`: it
  /// must only pass the result on. How long to wait is the caller's business.
  using callback = std::function<void(const lookup_result&)>;
  void resolve(const std::string& name, callback done);

private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

} // namespace postrider::net::client
