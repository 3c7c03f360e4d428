#include "store/settle_parameters.hpp"

#include "store/response_text.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::int32_t whole(milliseconds span) {
  constexpr milliseconds::rep most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(
      std::clamp<milliseconds::rep>(span.count(), 0, most));
}

bool ends(const settlement& one) {
  return one.state != delivery_state::retrying
         && one.state != delivery_state::held;
}

void text_or_null(pg::array& to, std::string_view text) {
  if (text.empty())
    to.null();
  else
    to.bytes(text);
}

// What both statements take.
struct common_arrays {
  pg::array partition{pg::type::int2};
  pg::array epoch{pg::type::int8};
  pg::array delivery{pg::type::int8};
  pg::array attempts{pg::type::int2};
  pg::array ordinal{pg::type::int4};
  pg::array status{pg::type::int2};
  pg::array duration{pg::type::int4};
  pg::array ago{pg::type::int4};
  pg::array version{pg::type::int8};

  void add(const settlement& one, steady_clock::time_point now) {
    ordinal.int4(ordinal.size());
    partition.int2(static_cast<std::int16_t>(one.partition));
    epoch.int8(one.epoch);
    delivery.int8(one.delivery);
    attempts.int2(static_cast<std::int16_t>(one.attempts));
    if (one.status)
      status.int2(static_cast<std::int16_t>(*one.status));
    else
      status.null();
    duration.int4(whole(one.duration));
    const auto passed =
        std::chrono::duration_cast<milliseconds>(now - one.started);
    ago.int4(one.sent ? whole(passed) : 0);
    if (one.sent)
      version.int8(one.endpoint_version);
    else
      version.null();
  }

  void put(pg::params& to) {
    to.add(partition).add(epoch).add(delivery).add(attempts);
    to.add(ordinal).add(status).add(duration).add(ago).add(version);
  }
};

struct other_arrays {
  pg::array outcome{pg::type::text};
  pg::array reason{pg::type::text};
  pg::array error{pg::type::text};
  pg::array ended{pg::type::boolean};
  pg::array sent{pg::type::boolean};
  pg::array wait{pg::type::int8};
  pg::array response{pg::type::text};
  pg::array name{pg::type::text};
  pg::array endpoint{pg::type::int8};
  pg::array hold{pg::type::boolean};

  void add(const settlement& one) {
    // A row can be given back only by leaving it alone.
    assert(one.state != delivery_state::queued);
    const bool succeeded = one.state == delivery_state::succeeded;
    outcome.bytes(ends(one) ? to_string(one.state)
                            : to_string(delivery_state::failed));
    text_or_null(reason, one.reason == end_reason::none
                             ? std::string_view{}
                             : to_string(one.reason));
    text_or_null(error, to_string(one.error));
    ended.boolean(ends(one));
    sent.boolean(one.sent);
    wait.int8(one.wait.count());
    endpoint.int8(one.endpoint);
    hold.boolean(one.state == delivery_state::held);
    text_or_null(name, one.name);
    text_or_null(response,
                 succeeded ? std::string{} : response_text(one.response));
  }

  void put(pg::params& to) {
    to.add(outcome).add(reason).add(error).add(ended).add(sent).add(wait);
    to.add(response).add(name).add(endpoint).add(hold);
  }
};

} // namespace

void add_settlements(pg::params& to, std::span<const settlement> batch,
                     steady_clock::time_point now, bool full) {
  common_arrays common;
  other_arrays others;
  for (const auto& one : batch) {
    common.add(one, now);
    if (full)
      others.add(one);
  }
  common.put(to);
  if (full)
    others.put(to);
}

} // namespace postrider::store
