#pragma once

#include "actors/counters.hpp"
#include "actors/log.hpp"
#include "actors/outcome_box.hpp"
#include "actors/protocol.hpp"

#include <caf/sec.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Behaviours of the interfaces in actors/protocol.hpp that write down what
// they are told in plain containers, and say what the test wants.
namespace postrider::testing {

inline actors::log_sink no_log() {
  return [](actors::level, std::string_view, std::string) {};
}

inline caf::error away() {
  return caf::make_error(caf::sec::runtime_error, std::string{"away"});
}

inline caf::error hopeless() {
  return caf::make_error(caf::sec::bad_function_call, std::string{"refused"});
}

// -- samples -----------------------------------------------------------------

inline endpoint_ptr sample_endpoint(std::int64_t id,
                                    ordering order = ordering::fifo) {
  endpoint out;
  out.id = id;
  out.version = 1;
  out.order = order;
  out.target = std::get<url>(parse_url("http://receiver.test/hook"));
  out.retry = *find_retry_policy("shop");
  return std::make_shared<const endpoint>(out);
}

inline uuid event_of(std::int64_t delivery) {
  uuid out;
  for (std::size_t i = 0; i < 8; ++i)
    out.bytes[15 - i] = static_cast<std::uint8_t>(delivery >> (8 * i));
  return out;
}

inline event_ptr sample_event(std::int64_t delivery) {
  event_content out;
  out.id = event_of(delivery);
  out.content_type = "application/json";
  out.payload = std::make_shared<const std::string>("{}");
  return std::make_shared<const event_content>(out);
}

inline delivery sample_row(std::int64_t id, std::int64_t endpoint = 1,
                           std::int64_t stream = 0) {
  delivery out;
  out.id = id;
  out.endpoint = endpoint;
  out.stream = stream;
  out.event = event_of(id);
  out.remaining = std::chrono::hours{96};
  return out;
}

inline attempt_result answered(int status) {
  attempt_result out;
  out.status = status;
  return out;
}

inline attempt_result broken(attempt_error how) {
  attempt_result out;
  out.error = how;
  return out;
}

// -- fakes -------------------------------------------------------------------

struct settler_record {
  std::shared_ptr<actors::outcome_box> box =
      std::make_shared<actors::outcome_box>();
  std::vector<store::settlement> settled;
  bool away = false; ///< the database
};

/// `free` writes what was kept while the database was away.
using fake_settler_actor =
    actors::settler_actor::extend<caf::reacts_to<atom::free>>;

inline fake_settler_actor::behavior_type
fake_settler(fake_settler_actor::pointer self, settler_record* seen) {
  seen->box->written_by(self);
  const auto write = [=] {
    if (seen->away)
      return;
    while (seen->box->waiting() > 0) {
      const auto batch = seen->box->take(1'000);
      seen->settled.insert(seen->settled.end(), batch->begin(), batch->end());
      for (const auto& driver : seen->box->done(self->clock().now()))
        self->send(driver, atom::drain_v);
    }
  };
  return {
      [=](atom::settle) {
        seen->box->heard();
        write();
      },
      [](atom::flush) -> caf::result<bool> { return true; },
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::tick) {},
      [](atom::again) {},
      [=](atom::free) {
        seen->away = false;
        write();
      },
  };
}

/// Keeps a mark on record, or says that the lease is another's.
struct mark_record {
  std::vector<std::int64_t> marks;
  bool ours = true;
};

inline actors::lease_store_actor::behavior_type
fake_lease_store(actors::lease_store_actor::pointer, mark_record* seen) {
  return {
      [](atom::beat, store::standing) -> caf::result<store::heartbeat> {
        return store::heartbeat{};
      },
      [](atom::acquire, int) -> caf::result<actors::lease_list> {
        return actors::lease_list{};
      },
      [](atom::release, const actors::lease_list&) -> caf::result<bool> {
        return true;
      },
      [](atom::leave) -> caf::result<bool> { return true; },
      [=](atom::mark, const store::lease&,
          std::int64_t id) -> caf::result<bool> {
        seen->marks.push_back(id);
        return seen->ours;
      },
      [](atom::sweep) -> caf::result<int> { return 0; },
  };
}

struct supervisor_record {
  std::vector<std::uint16_t> drained;
};

inline actors::node_supervisor_actor::behavior_type
fake_supervisor(actors::node_supervisor_actor::pointer,
                supervisor_record* seen) {
  return {
      [](atom::stop) { return true; },
      [=](atom::drained, std::uint16_t which) {
        seen->drained.push_back(which);
      },
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::tick) {},
      [](atom::leave) {},
  };
}

inline actors::http_worker_actor::behavior_type
fake_worker(actors::http_worker_actor::pointer, actors::http_job_list* seen) {
  return {
      [=](atom::attempt, const actors::http_job_list& jobs) {
        seen->insert(seen->end(), jobs.begin(), jobs.end());
      },
  };
}

/// What a driver of a partition is to do when it is told something; nothing
/// where nothing stands.
struct driver_ears {
  using pointer = actors::partition_actor::pointer;
  std::function<void(const actors::work_list&)> claimed{};
  std::function<void()> finished{};
  std::function<void(const actors::endpoint_list&)> endpoints{};
  std::function<void(pointer, const actors::permit&)> permit{};
  std::function<void(std::int64_t)> gate_set{};
  std::function<void(std::int64_t)> gate_read{};
  std::function<void(const actors::clock_list&)> clock{};
};

inline actors::partition_actor::behavior_type
listening_driver(actors::partition_actor::pointer self, driver_ears to) {
  const auto pass = [](const auto& ear, auto&&... what) {
    if (ear)
      ear(what...);
  };
  return {
      [=](atom::claimed, const actors::work_list& some) {
        pass(to.claimed, some);
      },
      [=](atom::finished) { pass(to.finished); },
      [=](atom::endpoints, const actors::endpoint_list& some) {
        pass(to.endpoints, some);
      },
      [=](atom::permit, std::int64_t, const actors::permit& word) {
        pass(to.permit, self, word);
      },
      [=](atom::gate, std::int64_t endpoint) { pass(to.gate_set, endpoint); },
      [=](atom::own, std::int64_t endpoint) { pass(to.gate_read, endpoint); },
      [=](atom::clock, const actors::clock_list& all) { pass(to.clock, all); },
      [](atom::free, const std::string&) {},
      [](atom::renew, actors::time_point) {},
      [](atom::drain) {},
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::again) {},
      [](atom::tick) {},
      [](atom::start) {},
  };
}

struct reader_record {
  std::vector<std::int64_t> left;
  std::vector<actors::owned_list> owned;
  std::vector<actors::gate_change> gates;
  bool silent = false; ///< does not confirm them
};

inline actors::reader_actor::behavior_type
fake_reader(actors::reader_actor::pointer self, reader_record* seen) {
  return {
      [=](atom::own, const actors::owned_list& all) {
        seen->owned.push_back(all);
      },
      [=](atom::left, const actors::id_list& ids) {
        seen->left.insert(seen->left.end(), ids.begin(), ids.end());
      },
      [=](atom::gate, const actors::gate_change& what) {
        seen->gates.push_back(what);
        if (seen->silent)
          return;
        if (const auto driver = caf::actor_cast<actors::partition_actor>(
                self->current_sender()))
          self->send(driver, atom::gate_v, what.endpoint);
      },
      [](atom::wake) {},
      [](atom::fresh, const actors::fresh_ptr&) {},
      [](atom::changed) {},
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::tick, std::uint64_t) {},
      [](atom::again) {},
  };
}

/// A database for breakers.
struct health_world {
  std::vector<store::health_move> moves;
  std::vector<actors::chunk_query> held;
  std::vector<actors::chunk_query> cancelled;
  std::int64_t revision = 100;
  bool away = false;
  /// What is on record instead of what the next move brings.
  std::optional<health_record> changed;
  /// What is found by who changes nothing.
  health_record found;
  /// Chunks that are left before the last one.
  int chunks = 0;
  caf::strong_actor_ptr asker; ///< the breaker that asked last
};

inline actors::health_store_actor::behavior_type
fake_health_store(actors::health_store_actor::pointer self,
                  health_world* world) {
  const auto chunk =
      [=](std::vector<actors::chunk_query>& to,
          const actors::chunk_query& q) -> caf::result<store::chunk_done> {
    to.push_back(q);
    world->asker = self->current_sender();
    if (world->away)
      return away();
    return store::chunk_done{q.after + 1'000, 1'000, world->chunks-- <= 0};
  };
  return {
      [=](atom::move,
          const store::health_move& what) -> caf::result<actors::moved> {
        world->asker = self->current_sender();
        if (world->away)
          return away();
        if (world->changed)
          return actors::moved{std::nullopt,
                               *std::exchange(world->changed, std::nullopt)};
        if (what.known < 0)
          return actors::moved{std::nullopt, world->found};
        world->moves.push_back(what);
        return actors::moved{++world->revision, {}};
      },
      [=](atom::hold, const actors::chunk_query& q) {
        return chunk(world->held, q);
      },
      [=](atom::cancel, const actors::chunk_query& q) {
        return chunk(world->cancelled, q);
      },
      [](atom::tick) {},
      [](atom::again) {},
  };
}

} // namespace postrider::testing
