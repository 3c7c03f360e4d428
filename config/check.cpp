#include "config/check.hpp"

#include "config/size.hpp"

#include <fmt/format.h>

namespace postrider::config {

using namespace std::chrono_literals;

std::vector<std::pair<std::string, std::string>> check(const config& whole) {
  std::vector<std::pair<std::string, std::string>> faults;
  const auto& delivery = whole.delivery;
  if (delivery.heartbeat * 3 > delivery.lease)
    faults.emplace_back(
        "delivery.heartbeat",
        fmt::format("{} is more than a third of delivery.lease ({}): one lost "
                    "heartbeat would lose the partitions",
                    render_duration(delivery.heartbeat),
                    render_duration(delivery.lease)));
  if (delivery.lease <= whole.http.timeout)
    faults.emplace_back(
        "delivery.lease",
        fmt::format("{} is not longer than http.timeout ({}): a dead node's "
                    "requests could still run when another takes over",
                    render_duration(delivery.lease),
                    render_duration(whole.http.timeout)));
  if (delivery.stalled_after > 0ms && delivery.stalled_after < 1s)
    faults.emplace_back("delivery.stalled_after",
                        fmt::format("{} is below 1s: a busy machine would look "
                                    "like one that stands still",
                                    render_duration(delivery.stalled_after)));
  if (delivery.poll_min > delivery.poll_max)
    faults.emplace_back("delivery.poll_min",
                        fmt::format("{} is above delivery.poll_max ({})",
                                    render_duration(delivery.poll_min),
                                    render_duration(delivery.poll_max)));
  if (delivery.per_endpoint > delivery.window)
    faults.emplace_back("delivery.per_endpoint",
                        fmt::format("{} is above delivery.window ({})",
                                    delivery.per_endpoint, delivery.window));
  if (whole.http.connect_timeout > whole.http.timeout)
    faults.emplace_back("http.connect_timeout",
                        fmt::format("{} is above http.timeout ({})",
                                    render_duration(whole.http.connect_timeout),
                                    render_duration(whole.http.timeout)));
  if (whole.http.response_excerpt > whole.http.response_limit)
    faults.emplace_back("http.response_excerpt",
                        fmt::format("{} is above http.response_limit ({})",
                                    render_size(whole.http.response_excerpt),
                                    render_size(whole.http.response_limit)));
  if (whole.api.listen.port != 0 && whole.api.listen.port == whole.admin.port
      && whole.api.listen.address == whole.admin.address)
    faults.emplace_back("admin.listen",
                        "is the same address and port as api.listen");
  return faults;
}

} // namespace postrider::config
