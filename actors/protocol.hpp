#pragma once

#include "actors/live_options.hpp"
#include "actors/messages.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

CAF_BEGIN_TYPE_ID_BLOCK(postrider, caf::first_custom_type_id)
  CAF_ADD_ATOM(postrider, postrider::atom, acquire, "acquire")
  CAF_ADD_ATOM(postrider, postrider::atom, again, "again")
  CAF_ADD_ATOM(postrider, postrider::atom, apply, "apply")
  CAF_ADD_ATOM(postrider, postrider::atom, attempt, "attempt")
  CAF_ADD_ATOM(postrider, postrider::atom, beat, "beat")
  CAF_ADD_ATOM(postrider, postrider::atom, cancel, "cancel")
  CAF_ADD_ATOM(postrider, postrider::atom, changed, "changed")
  CAF_ADD_ATOM(postrider, postrider::atom, claimed, "claimed")
  CAF_ADD_ATOM(postrider, postrider::atom, clock, "clock")
  CAF_ADD_ATOM(postrider, postrider::atom, content, "content")
  CAF_ADD_ATOM(postrider, postrider::atom, drain, "drain")
  CAF_ADD_ATOM(postrider, postrider::atom, drained, "drained")
  CAF_ADD_ATOM(postrider, postrider::atom, due, "due")
  CAF_ADD_ATOM(postrider, postrider::atom, endpoints, "endpoints")
  CAF_ADD_ATOM(postrider, postrider::atom, finished, "finished")
  CAF_ADD_ATOM(postrider, postrider::atom, flush, "flush")
  CAF_ADD_ATOM(postrider, postrider::atom, free, "free")
  CAF_ADD_ATOM(postrider, postrider::atom, fresh, "fresh")
  CAF_ADD_ATOM(postrider, postrider::atom, gate, "gate")
  CAF_ADD_ATOM(postrider, postrider::atom, hold, "hold")
  CAF_ADD_ATOM(postrider, postrider::atom, ingest, "ingest")
  CAF_ADD_ATOM(postrider, postrider::atom, leave, "leave")
  CAF_ADD_ATOM(postrider, postrider::atom, left, "left")
  CAF_ADD_ATOM(postrider, postrider::atom, mark, "mark")
  CAF_ADD_ATOM(postrider, postrider::atom, move, "move")
  CAF_ADD_ATOM(postrider, postrider::atom, own, "own")
  CAF_ADD_ATOM(postrider, postrider::atom, peek, "peek")
  CAF_ADD_ATOM(postrider, postrider::atom, permit, "permit")
  CAF_ADD_ATOM(postrider, postrider::atom, query, "query")
  CAF_ADD_ATOM(postrider, postrider::atom, read, "read")
  CAF_ADD_ATOM(postrider, postrider::atom, release, "release")
  CAF_ADD_ATOM(postrider, postrider::atom, renew, "renew")
  CAF_ADD_ATOM(postrider, postrider::atom, report, "report")
  CAF_ADD_ATOM(postrider, postrider::atom, settle, "settle")
  CAF_ADD_ATOM(postrider, postrider::atom, share, "share")
  CAF_ADD_ATOM(postrider, postrider::atom, start, "start")
  CAF_ADD_ATOM(postrider, postrider::atom, stop, "stop")
  CAF_ADD_ATOM(postrider, postrider::atom, sweep, "sweep")
  CAF_ADD_ATOM(postrider, postrider::atom, tick, "tick")
  CAF_ADD_ATOM(postrider, postrider::atom, wake, "wake")
  CAF_ADD_ATOM(postrider, postrider::atom, want, "want")
CAF_END_TYPE_ID_BLOCK(postrider)

namespace postrider::actors {

using delivery_list = std::vector<delivery>;
using work_list = std::vector<work>;
using partition_list = std::vector<std::uint16_t>;
using id_list = std::vector<std::int64_t>;
using lease_list = std::vector<store::lease>;
using settlement_list = std::vector<store::settlement>;
using endpoint_list = std::vector<endpoint_ptr>;
using notice_list = std::vector<store::health_notice>;
using clock_list = std::vector<clock_notice>;

/// Runs the reads of the hot table on a connection and a thread of its own.
using read_store_actor = caf::typed_actor<
    // What is allocated and which transactions run; no rows.
    caf::replies_to<atom::peek>::with<store::new_rows>,
    // Where reading these partitions has to begin.
    caf::replies_to<atom::start, partition_list>::with<std::int64_t>,
    // A range of ids.
    caf::replies_to<atom::read, read_query>::with<store::new_rows>,
    // Endpoints that are read by themselves.
    caf::replies_to<atom::share, share_query>::with<delivery_list>,
    // Retries that are due.
    caf::replies_to<atom::due, due_query>::with<store::due_rows>,
    // One partition, slowly, as a net behind everything.
    caf::replies_to<atom::sweep, sweep_query>::with<delivery_list>,
    // Endpoints whose health wants attention.
    caf::replies_to<atom::clock, partition_list>::with<notice_list>,
    // Events and endpoints by id.
    caf::replies_to<atom::content, content_query>::with<contents>,
    // Endpoints above a version; below 0 asks only for the present version.
    caf::replies_to<atom::changed, std::int64_t>::with<endpoint_changes>>;

/// Writes outcomes on a connection and a thread of its own.
using settle_store_actor = caf::typed_actor<
    caf::replies_to<atom::settle, settlement_list>::with<settle_report>>;

/// Moves the health of endpoints and holds or cancels what is open for them, on
/// a connection and a thread of its own; sees to what is held.
using health_store_actor = caf::typed_actor<
    caf::replies_to<atom::move, store::health_move>::with<moved>,
    // A chunk, from an id on.
    caf::replies_to<atom::hold, chunk_query>::with<store::chunk_done>,
    caf::replies_to<atom::cancel, chunk_query>::with<store::chunk_done>,
    // Internal: the upkeep; the limits of tenants.
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::again>>;

/// The authority on the health of one endpoint while its partition is driven:
/// says what may be done and keeps that in the database.
using breaker_actor = caf::typed_actor<
    // An attempt has ended.
    caf::reacts_to<atom::report, health_report>,
    // So many attempts could begin if there were tokens.
    caf::reacts_to<atom::want, int>,
    // The health clock: whether something is held.
    caf::reacts_to<atom::clock, bool>,
    // The endpoint, or what is on record of its health, was changed.
    caf::reacts_to<atom::changed, endpoint_ptr>,
    // The reader has read what the last permit asked for.
    caf::reacts_to<atom::gate>,
    // Nothing begins any more; these are in flight.
    caf::reacts_to<atom::stop, id_list>,
    // New options.
    caf::reacts_to<atom::apply, live_options_ptr>,
    // Internal: what waits for a moment; another try to keep what changed.
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::again>>;

/// Keeps this node's leases on a connection and a thread of its own.
using lease_store_actor = caf::typed_actor<
    caf::replies_to<atom::beat, store::standing>::with<store::heartbeat>,
    caf::replies_to<atom::acquire, int>::with<lease_list>,
    caf::replies_to<atom::release, lease_list>::with<bool>,
    caf::replies_to<atom::leave>::with<bool>,
    // This delivery is being handled, with care; 0: none is.
    // False when the lease is another's.
    caf::replies_to<atom::mark, store::lease, std::int64_t>::with<bool>,
    caf::replies_to<atom::sweep>::with<int>>;

/// Commits events on a connection and a thread of its own, and answers their
/// calls. Tells what there is to deliver.
using ingest_store_actor = caf::typed_actor<
    caf::replies_to<atom::ingest, ingest_batch>::with<fresh_ptr>>;

/// One attempt for an HTTP worker, and who wants to know.
struct http_job;
using http_job_list = std::vector<http_job>;

/// Runs requests on an I/O loop; no policy.
using http_worker_actor =
    caf::typed_actor<caf::reacts_to<atom::attempt, http_job_list>>;

/// Drives one leased partition: first attempts in order, due retries.
using partition_actor = caf::typed_actor<
    // Rows that were read for it.
    caf::reacts_to<atom::claimed, work_list>,
    // Attempts have ended: their results are in its inbox.
    caf::reacts_to<atom::finished>,
    // Endpoints that were changed.
    caf::reacts_to<atom::endpoints, endpoint_list>,
    // The word of an endpoint's breaker.
    caf::reacts_to<atom::permit, std::int64_t, permit>,
    // The reader follows the gate of this endpoint from now on; it has read all
    // that the gate asked for.
    caf::reacts_to<atom::gate, std::int64_t>,
    caf::reacts_to<atom::own, std::int64_t>,
    // Endpoints whose health wants attention.
    caf::reacts_to<atom::clock, clock_list>,
    // A tenant has room again.
    caf::reacts_to<atom::free, std::string>,
    // The lease is good until then.
    caf::reacts_to<atom::renew, time_point>,
    // Start nothing more; tell the node supervisor when all is settled.
    caf::reacts_to<atom::drain>,
    // New options, for the attempts that begin from now on.
    caf::reacts_to<atom::apply, live_options_ptr>,
    // Internal: what was deferred is tried again; the watch over silent
    // attempts and idle breakers; another try to begin.
    caf::reacts_to<atom::again>, caf::reacts_to<atom::tick>,
    caf::reacts_to<atom::start>>;

class attempt_ticket;

struct http_job {
  net::http_request request;
  std::shared_ptr<attempt_ticket> reply_to; ///< of this attempt alone
};

/// A partition and the actor that drives it.
struct owned {
  std::uint16_t partition = 0;
  partition_actor driver;
};
using owned_list = std::vector<owned>;

/// Reads what the node's partitions have to deliver and hands it to them, as
/// much as there is room for.
using reader_actor = caf::typed_actor<
    // The partitions that are driven from now on.
    caf::reacts_to<atom::own, owned_list>,
    // Deliveries that were settled: there is room again.
    caf::reacts_to<atom::left, id_list>,
    // How an endpoint is to be read from now on.
    caf::reacts_to<atom::gate, gate_change>,
    // Something may have been committed; this was, by this node.
    caf::reacts_to<atom::wake>, caf::reacts_to<atom::fresh, fresh_ptr>,
    // An endpoint may have changed.
    caf::reacts_to<atom::changed>,
    // New options.
    caf::reacts_to<atom::apply, live_options_ptr>,
    // Internal: the adaptive poll, with its generation; answers that are due.
    caf::reacts_to<atom::tick, std::uint64_t>, caf::reacts_to<atom::again>>;

/// Gathers outcomes for a few milliseconds and has them written; keeps them
/// while the database is away.
using settler_actor = caf::typed_actor<
    // There are outcomes in the box.
    caf::reacts_to<atom::settle>,
    // Answers when everything that came before is written.
    caf::replies_to<atom::flush>::with<bool>,
    // New options.
    caf::reacts_to<atom::apply, live_options_ptr>,
    // Internal: the end of the gathering time; an answer that is due.
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::again>>;

/// Gathers ingest calls and has them committed together.
using ingester_actor =
    caf::typed_actor<caf::reacts_to<atom::ingest, ingest_call_ptr>,
                     // New options.
                     caf::reacts_to<atom::apply, live_options_ptr>,
                     // Internal: what came together; answers that are due.
                     caf::reacts_to<atom::tick>, caf::reacts_to<atom::again>>;

/// Holds the node's leases: heartbeat, fair share, stale claims.
using node_supervisor_actor = caf::typed_actor<
    // Give everything back; answers true when nothing was left unfinished.
    caf::replies_to<atom::stop>::with<bool>,
    // A partition has nothing in flight and nothing unsettled.
    caf::reacts_to<atom::drained, std::uint16_t>,
    // New options, for itself and every partition.
    caf::reacts_to<atom::apply, live_options_ptr>,
    // Internal: the heartbeat; the end of the time that a stop has.
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::leave>>;

/// Answers the API's questions on a connection and a thread of its own.
using query_store_actor =
    caf::typed_actor<caf::reacts_to<atom::query, query_call_ptr>>;

/// Looks after the schema: checks it, and makes time partitions ahead.
using janitor_actor = caf::typed_actor<
    // Answers true when the database is there and is what this binary needs.
    caf::replies_to<atom::start>::with<bool>,
    // Internal: the hourly round.
    caf::reacts_to<atom::tick>>;

/// Starts, watches and ends all of them.
using root_supervisor_actor = caf::typed_actor<
    // Ordered stop; true when nothing was left unfinished.
    caf::replies_to<atom::stop>::with<bool>,
    // Hints for the reader, wherever it lives now.
    caf::reacts_to<atom::wake>, caf::reacts_to<atom::changed>,
    caf::reacts_to<atom::fresh, fresh_ptr>,
    // New options, for all of them and for those that are started later.
    caf::reacts_to<atom::apply, live_options_ptr>,
    // Calls for the ingester and the query stores.
    caf::reacts_to<atom::ingest, ingest_call_ptr>,
    caf::reacts_to<atom::query, query_call_ptr>,
    // Internal: start or restart after a back-off.
    caf::reacts_to<atom::start>>;

} // namespace postrider::actors

// Messages stay inside this process; CAF need not know how to serialize them.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::chunk_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::clock_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::content_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::contents)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::delivery_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::due_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::endpoint_changes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::endpoint_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::fresh_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::gate_change)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::health_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::http_job_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::ingest_batch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::ingest_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::lease_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::live_options_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::moved)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::notice_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::owned_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::permit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::query_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::read_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::settle_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::settlement_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::share_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::sweep_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::time_point)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::actors::work_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::endpoint_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::due_rows)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::chunk_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::health_move)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::heartbeat)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::lease)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::new_rows)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(postrider::store::standing)
