#include "core/outage.hpp"

#include <algorithm>

namespace postrider {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto remembered = 30s;
constexpr auto silence = 2s;
constexpr auto lapses_after = 2min;
constexpr milliseconds first_pause = 100ms;
constexpr milliseconds longest_pause = 5s;

} // namespace

network_sign sign_of(const attempt_result& result) {
  if (result.status)
    return network_sign::works;
  switch (result.error) {
  case attempt_error::connect_refused:
  case attempt_error::tls_certificate:
  case attempt_error::connection_reset:
  case attempt_error::malformed_response:
  case attempt_error::headers_too_large:
    return network_sign::works;
  case attempt_error::dns_unavailable:
  case attempt_error::network_unreachable:
  case attempt_error::connect_timeout:
    return network_sign::suspect;
  case attempt_error::local_resources:
    return network_sign::ours;
  // The rest says too little: a name server on this host can tell that a name
  // does not exist, a router near by that a host can't be reached.
  default:
    return network_sign::none;
  }
}

std::optional<milliseconds> connected_ago(const attempt_result& result) {
  switch (result.error) {
  case attempt_error::tls_failure:
  case attempt_error::write_timeout:
  case attempt_error::timeout_response:
    break;
  default:
    return std::nullopt;
  }
  if (result.status || result.connection_reused)
    return std::nullopt;
  const auto& took = result.timings;
  return std::max(took.total - took.dns - took.connect, 0ms);
}

void outage::answered(time_point at) {
  if (!answered_ || at > *answered_)
    answered_ = at;
  for (auto& each : failures_)
    if (each.at && *each.at <= at)
      each.at.reset();
  if (began_ && at >= *began_)
    began_.reset();
}

bool outage::suspect(std::int64_t endpoint, time_point now) {
  lapse(now);
  note(endpoint, now);
  if (!began_ && all_fresh(now) && !(answered_ && now - *answered_ < silence))
    begin(now);
  if (began_)
    failed_at_ = std::max(failed_at_, now);
  return in_force();
}

void outage::short_of_resources(time_point now) {
  lapse(now);
  if (!began_)
    begin(now);
  failed_at_ = std::max(failed_at_, now);
}

std::optional<outage::time_point> outage::closed(time_point now) const {
  if (!began_ || now >= closed_until_)
    return std::nullopt;
  return closed_until_;
}

bool outage::admit(time_point now) {
  lapse(now);
  if (!began_)
    return true;
  if (now < closed_until_)
    return false;
  // The next pause begins with the last of them and not with its failure,
  // which may take as long as a connect may.
  if (--probes_left_ == 0)
    pause(now);
  return true;
}

void outage::note(std::int64_t endpoint, time_point now) {
  auto same = std::ranges::find_if(failures_, [&](const failure& each) {
    return each.at && each.endpoint == endpoint;
  });
  auto place = same != failures_.end()
                   ? same
                   : std::ranges::min_element(failures_, {}, &failure::at);
  *place = {endpoint, now};
}

bool outage::all_fresh(time_point now) const {
  return std::ranges::all_of(failures_, [now](const failure& each) {
    return each.at && now - *each.at <= remembered;
  });
}

// What was true before an idle time need not be true after it.
void outage::lapse(time_point now) {
  if (began_ && now - failed_at_ > lapses_after)
    began_.reset();
}

void outage::begin(time_point now) {
  began_ = now;
  failed_at_ = now;
  pause_ = 0ms;
  pause(now);
}

void outage::pause(time_point now) {
  pause_ = std::clamp(2 * pause_, first_pause, longest_pause);
  closed_until_ = now + pause_;
  probes_left_ = probes;
}

} // namespace postrider
