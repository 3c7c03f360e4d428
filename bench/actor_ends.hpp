#pragma once

#include "actors/protocol.hpp"
#include "bench/samples.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

// Actors at both ends of the one that is measured: they answer at once and do
// as little as can be done.
namespace postrider::bench {

using actors::delivery_list;
using actors::id_list;

/// Keeps the jobs until they are answered.
inline actors::http_worker_actor::behavior_type
job_taker(actors::http_worker_actor::pointer, actors::http_job_list* jobs) {
  return {
      [=](atom::attempt, actors::http_job_list& some) {
        std::move(some.begin(), some.end(), std::back_inserter(*jobs));
      },
  };
}

/// Hears of what has left the window.
inline actors::reader_actor::behavior_type
reader_end(actors::reader_actor::pointer, std::size_t* left) {
  return {
      [](atom::own, const actors::owned_list&) {},
      [=](atom::left, const id_list& ids) { *left += ids.size(); },
      [](atom::gate, const actors::gate_change&) {},
      [](atom::wake) {},
      [](atom::fresh, const actors::fresh_ptr&) {},
      [](atom::changed) {},
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::tick, std::uint64_t) {},
      [](atom::again) {},
  };
}

/// Has the rows up to that id, with all that is needed to send them.
inline actors::read_store_actor::behavior_type
row_source(actors::read_store_actor::pointer, const std::int64_t* last) {
  const auto seen = [=](delivery_list rows) {
    store::new_rows out;
    out.seen.xmax = out.seen.next = 1;
    out.allocated = *last;
    out.rows = std::move(rows);
    return out;
  };
  return {
      [=](atom::peek) { return seen({}); },
      [](atom::start, const actors::partition_list&) {
        return std::int64_t{0};
      },
      [=](atom::read, const actors::read_query& q) {
        delivery_list rows;
        rows.reserve(static_cast<std::size_t>(q.range.limit));
        auto id = q.range.after;
        while (id < q.range.upto && std::ssize(rows) < q.range.limit)
          rows.push_back(row(++id));
        return seen(std::move(rows));
      },
      [](atom::share, const actors::share_query&) { return delivery_list{}; },
      [](atom::due, const actors::due_query&) { return store::due_rows{}; },
      [](atom::sweep, const actors::sweep_query&) { return delivery_list{}; },
      [](atom::clock, const actors::partition_list&) {
        return actors::notice_list{};
      },
      [bytes = event().payload](atom::content, const actors::content_query& q) {
        actors::contents out;
        for (const auto& id : q.events) {
          auto of = std::make_shared<event_content>();
          of->id = id;
          of->content_type = "application/json";
          of->payload = bytes;
          out.events.emplace(id, std::move(of));
        }
        for (const auto id : q.endpoints)
          out.endpoints.push_back(
              std::make_shared<const endpoint>(receiver(id)));
        return out;
      },
      [](atom::changed, std::int64_t) { return actors::endpoint_changes{}; },
  };
}

/// Writes whatever it is given.
inline actors::settle_store_actor::behavior_type
outcome_sink(actors::settle_store_actor::pointer) {
  return {
      [](atom::settle, const actors::settlement_list& batch) {
        actors::settle_report out;
        out.deliveries.reserve(batch.size());
        for (const auto& one : batch)
          out.deliveries.push_back(one.delivery);
        return out;
      },
  };
}

/// Stores whatever it is given.
inline actors::ingest_store_actor::behavior_type
event_sink(actors::ingest_store_actor::pointer) {
  return {
      [](atom::ingest, const actors::ingest_batch& calls) {
        for (const auto& call : calls) {
          std::vector<ingest_result> results(call->take().size());
          call->finish(actors::ingest_call::verdict::stored,
                       std::move(results));
        }
        return std::make_shared<const actors::fresh_batch>();
      },
  };
}

/// Whoever is to be told that something was committed.
inline actors::root_supervisor_actor::behavior_type
root_end(actors::root_supervisor_actor::pointer) {
  return {
      [](atom::stop) { return true; },
      [](atom::wake) {},
      [](atom::fresh, const actors::fresh_ptr&) {},
      [](atom::changed) {},
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::ingest, const actors::ingest_call_ptr&) {},
      [](atom::query, const actors::query_call_ptr&) {},
      [](atom::start) {},
  };
}

} // namespace postrider::bench
