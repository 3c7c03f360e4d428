#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "core/failpoint.hpp"
#include "store/ingester.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace postrider::actors {

namespace {

// Payloads of one commit that are kept for the reader at most.
constexpr std::size_t most_bytes = 1 << 20;

/// As the reader would find it.
event_ptr content_of(new_event&& from, const uuid& id) {
  auto out = std::make_shared<event_content>();
  out->id = id;
  out->type = std::move(from.type);
  out->content_type = from.content_type.empty() ? "application/json"
                                                : std::move(from.content_type);
  out->headers = std::move(from.headers);
  out->traceparent = std::move(from.traceparent);
  out->payload = std::make_shared<const std::string>(std::move(from.payload));
  return out;
}

struct ingest_store_state {
  static constexpr const char* name = "ingest_store";

  explicit ingest_store_state(
      metered_pointer<ingest_store_actor, ingest_store_state>) {}

  /// One transaction for all calls, then each its own part of the results.
  fresh_ptr commit(ingest_batch calls) {
    // They were told "unknown" while this actor waited for the database; their
    // producers have sent them again by now.
    std::erase_if(calls, [](const auto& call) { return call->answered(); });
    std::vector<new_event> all;
    for (const auto& call : calls) {
      auto events = call->take();
      std::move(events.begin(), events.end(), std::back_inserter(all));
    }
    POSTRIDER_IF_FAILS("defect.answer_first",
                       answer(calls, std::vector<ingest_result>(all.size())));
    POSTRIDER_FAILPOINT("ingest.before_insert");
    record(calls, all);
    auto fresh = std::make_shared<fresh_batch>();
    try {
      auto got = write(all);
      answer(calls, got.results);
      hand_over(std::move(got), std::move(all), *fresh);
    } catch (const store::error& fault) {
      if (calls.size() <= 1
          || fault.what_kind() == store::error::kind::transient)
        throw;
      // Some event is refused by the statement itself: it must not take the
      // others with it.
      one_by_one(calls, all);
    }
    return fresh;
  }

  /// What the reader would have to read else.
  void hand_over(store::ingested got, std::vector<new_event> events,
                 fresh_batch& to) {
    to.timeline = ingester->timeline();
    to.made = std::move(got.made);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& result = got.results[i];
      bytes += events[i].payload.size();
      if (bytes <= most_bytes && result.deliveries > 0
          && result.what == ingest_result::status::accepted)
        to.events.push_back(content_of(std::move(events[i]), result.id));
    }
  }

  store::ingested write(const std::vector<new_event>& events) {
    const auto began = std::chrono::steady_clock::now();
    auto results = ingester->ingest_and_tell(events);
    counters->meters.ingest.commit.observe(std::chrono::steady_clock::now()
                                           - began);
    return results;
  }

  void record(const ingest_batch& calls, const std::vector<new_event>& events) {
    auto& to = counters->meters;
    const auto now = std::chrono::steady_clock::now();
    for (const auto& call : calls)
      to.store.wait.observe(now - call->since());
    to.ingest.batch.observe(events.size());
    for (const auto& one : events)
      to.ingest.payload.observe(one.payload.size());
  }

  static void answer(const ingest_batch& calls,
                     const std::vector<ingest_result>& results) {
    POSTRIDER_FAILPOINT("ingest.committed");
    auto from = results.begin();
    for (const auto& call : calls) {
      const auto to =
          std::next(from, static_cast<std::ptrdiff_t>(call->count()));
      call->finish(ingest_call::verdict::stored, {from, to});
      from = to;
    }
  }

  void one_by_one(const ingest_batch& calls,
                  const std::vector<new_event>& all) {
    auto from = all.begin();
    for (const auto& call : calls) {
      const auto to =
          std::next(from, static_cast<std::ptrdiff_t>(call->count()));
      try {
        answer({call}, write({from, to}).results);
      } catch (const store::error& fault) {
        log(level::error, name, fault.what());
        call->finish(ingest_call::verdict::unavailable, {});
      }
      from = to;
    }
  }

  log_sink log;
  counters_ptr counters;
  store_watch watch;
  std::unique_ptr<store::ingester> ingester;
};

ingest_store_actor::behavior_type
ingest_store(metered_pointer<ingest_store_actor, ingest_store_state> self,
             store_options options) {
  auto& st = self->state;
  st.ingester = std::make_unique<store::ingester>(options.database);
  st.log = options.log;
  st.counters = options.counters;
  st.watch = {ingest_store_state::name, options.log, options.counters};
  return {
      [&st](atom::ingest, const ingest_batch& calls) {
        return st.watch.run<fresh_ptr>(store_query::insert,
                                       [&] { return st.commit(calls); });
      },
  };
}

} // namespace

ingest_store_actor spawn_ingest_store(caf::actor_system& system,
                                      store_options options) {
  return system.spawn<caf::detached>(ingest_store, std::move(options));
}

} // namespace postrider::actors
