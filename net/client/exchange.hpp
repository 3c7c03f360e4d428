#pragma once

#include "net/client/dial.hpp"
#include "net/http_client.hpp"

#include <memory>

namespace postrider::net::client {

/// A request on its way through the client. Whoever holds it owes its callback.
struct exchange {
  http_request request;
  http_client::callback done;
  steady::time_point started;
  steady::time_point deadline;
  attempt_timings timings;

  exchange(http_request what, http_client::callback whom)
      : request{std::move(what)},
        done{std::move(whom)},
        started{steady::now()},
        deadline{started + request.timeout} {}
};
using exchange_ptr = std::unique_ptr<exchange>;

/// Hands the result over, with the timings; the exchange is gone then.
void settle(exchange_ptr work, attempt_result result) noexcept;
void settle(exchange_ptr work, attempt_error error,
            std::string detail = {}) noexcept;

} // namespace postrider::net::client
