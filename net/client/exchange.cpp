#include "net/client/exchange.hpp"

namespace postrider::net::client {

void settle(exchange_ptr work, attempt_result result) noexcept {
  work->timings.total = std::chrono::duration_cast<std::chrono::milliseconds>(
      steady::now() - work->started);
  result.timings = work->timings;
  work->done(std::move(result));
}

void settle(exchange_ptr work, attempt_error error,
            std::string detail) noexcept {
  attempt_result result;
  result.error = error;
  result.detail = std::move(detail);
  settle(std::move(work), std::move(result));
}

} // namespace postrider::net::client
