#include "config/warnings.hpp"

#include "config/size.hpp"
#include "core/address.hpp"

#include <fmt/format.h>

#include <array>

namespace postrider::config {

namespace {

using found = std::vector<std::pair<std::string, std::string>>;

bool covers(const ip_network& network, std::string_view address) {
  return network.contains(*parse_ip(address));
}

void judge_allowed(const std::string& text, found& out) {
  const auto network = parse_network(text);
  if (!network)
    return;
  // Where clouds give out the machine's own credentials.
  static constexpr std::array metadata{"169.254.169.254", "fd00:ec2::254",
                                       "168.63.129.16", "100.100.100.200"};
  if (network->prefix == 0) {
    out.emplace_back("guard.allow",
                     fmt::format("contains {}: every internal host can be "
                                 "called by whoever may create an endpoint",
                                 text));
    return;
  }
  for (const auto* address : metadata)
    if (covers(*network, address)) {
      out.emplace_back("guard.allow",
                       fmt::format("{} contains {}: the cloud's metadata "
                                   "service can be called",
                                   text, address));
      return;
    }
}

} // namespace

std::vector<std::pair<std::string, std::string>> doubts(const config& whole) {
  found out;
  for (const auto& one : whole.guard.allow)
    judge_allowed(one, out);
  if (whole.shutdown.timeout < whole.http.timeout)
    out.emplace_back("shutdown.timeout",
                     fmt::format("{} is shorter than http.timeout ({}): a stop "
                                 "may cut off requests that would have ended",
                                 render_duration(whole.shutdown.timeout),
                                 render_duration(whole.http.timeout)));
  return out;
}

} // namespace postrider::config
