#include "store/settler.hpp"

#include "core/failpoint.hpp"
#include "store/pg.hpp"
#include "store/response_text.hpp"
#include "store/settler_statements.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

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

bool plain_success(const settlement& one) {
  return one.state == delivery_state::succeeded && one.sent;
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

class settler::impl {
public:
  impl(database where, uuid node, std::string node_name)
      : link_{std::move(where),
              {.application_name = "postrider settler",
               .settings = statements::settler_settings()}},
        node_{node},
        name_{std::move(node_name)} {}

  settled settle(std::span<const settlement> batch) {
    settled out{std::vector<bool>(batch.size(), false)};
    if (batch.empty())
      return out;
    const auto found = std::all_of(batch.begin(), batch.end(), plain_success)
                           ? run(statements::settle_succeeded, batch, false)
                           : run(statements::settle, batch, true);
    for (int row = 0; row < found.size(); ++row)
      out.hit[static_cast<std::size_t>(found.int4(row, 0))] = true;
    return out;
  }

private:
  pg::rows run(const pg::statement& what, std::span<const settlement> batch,
               bool full) {
    const auto now = steady_clock::now();
    common_arrays common;
    other_arrays others;
    for (const auto& one : batch) {
      common.add(one, now);
      if (full)
        others.add(one);
    }
    pg::params given;
    given.id(node_).bytes(name_);
    common.put(given);
    if (full)
      others.put(given);
    POSTRIDER_IF_FAILS(
        "defect.unfenced",
        return link_.run({what.name, failpoint::altered(what.sql, ") is true",
                                                        ") is not null")},
                         given));
    return link_.run(what, given);
  }

  pg::connection link_;
  uuid node_;
  std::string name_;
};

settler::settler(database where, uuid node, std::string node_name)
    : impl_{
        std::make_unique<impl>(std::move(where), node, std::move(node_name))} {}

settler::~settler() = default;

settled settler::settle(std::span<const settlement> batch) {
  return impl_->settle(batch);
}

} // namespace postrider::store
