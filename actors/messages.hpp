#pragma once

#include "core/handover.hpp"
#include "core/model.hpp"
#include "core/read_window.hpp"
#include "net/http_client.hpp"
#include "store/catalog.hpp"
#include "store/error.hpp"
#include "store/health_store.hpp"
#include "store/leases.hpp"
#include "store/reader.hpp"
#include "store/settler.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace postrider::actors {

/// Moments of the actors' clock, which tests move by hand.
using time_point = std::chrono::steady_clock::time_point;

/// A claimed delivery with all that is needed to attempt it.
struct work {
  delivery row;
  event_ptr event; ///< null when the event is gone
  endpoint_ptr to; ///< null when there is no such endpoint
  /// When the row was read: `row.remaining` counts from there.
  time_point read_at;
};

struct read_query {
  std::vector<std::uint16_t> partitions;
  read_range range;
  std::vector<std::int64_t> skip;
};

struct share_query {
  std::vector<store::lagging> wanted;
  std::int64_t upto = 0;
};

struct due_query {
  std::vector<std::uint16_t> partitions;
  std::int64_t after = 0;
  std::vector<std::int64_t> skip;
  int limit = 0;
};

struct sweep_query {
  std::uint16_t partition = 0;
  std::int64_t after = 0;
  int limit = 0;
};

struct content_query {
  std::vector<uuid> events;
  std::vector<std::int64_t> endpoints;
};

struct contents {
  std::unordered_map<uuid, event_ptr> events;
  std::vector<endpoint_ptr> endpoints;
};

/// How an endpoint's rows are to be read from now on.
struct gate_change {
  std::uint16_t partition = 0;
  std::int64_t endpoint = 0;
  read_gate how = read_gate::hold;
  /// Its deliveries that waited for their turn.
  std::vector<std::int64_t> given_back;
};

/// What the health clock has to say of an endpoint.
struct clock_notice {
  endpoint_ptr of;
  bool held = false; ///< something is held for it
};

/// What a breaker lets its endpoint do, until the next word.
struct permit {
  enum class mode : std::uint8_t {
    wait,  ///< nothing is known yet: what comes stays in line
    open,  ///< attempts may begin
    hold,  ///< what comes is held
    trial, ///< as `hold`, but its oldest delivery may be attempted
    park,  ///< nothing is read for a while
    stop,  ///< what comes is cancelled
  } what = mode::wait;
  /// Each attempt needs a token, to be asked for.
  bool metered = false;
  /// Tokens that come with this word.
  int tokens = 0;
  /// Successes are to be told one by one; else with the next report.
  bool listen = false;
  /// The rows are read anew, in the order of ids and with what is held.
  bool reopen = false;
  /// The breaker knows what the database doesn't: it outlives short pauses.
  bool keep = false;
};

/// An attempt that has ended, as its breaker hears of it.
struct health_report {
  health_sign sign;
  /// Successes before it that were not told.
  int successes = 0;
  /// The receiver asked to be left alone for so long.
  std::chrono::milliseconds pause{0};
};

/// A long change of what is open for an endpoint.
struct chunk_query {
  std::int64_t endpoint = 0;
  std::uint16_t partition = 0;
  std::int64_t epoch = 0;
  std::int64_t after = 0;
  std::vector<std::int64_t> in_flight;
};

/// What became of a move: the new revision, or nothing and what is on record.
struct moved {
  std::optional<std::int64_t> revision;
  health_record record;
};

/// Endpoints that changed, and the version up to which that is known.
struct endpoint_changes {
  std::vector<endpoint_ptr> changed;
  std::int64_t version = 0;
};

/// What became of a batch of settlements.
struct settle_report {
  std::vector<std::int64_t> deliveries;
  std::uint64_t fenced = 0;
};

/// An ingest call on its way to its answer. The answer is given exactly once:
/// if every other way fails, by the destructor, as "unknown".
class ingest_call {
public:
  enum class verdict { stored, overloaded, unavailable, draining };
  using answer = std::function<void(verdict, std::vector<ingest_result>)>;

  ingest_call(std::vector<new_event> events, answer done)
      : events_{std::move(events)},
        count_{events_.size()},
        done_{std::move(done)} {}
  ~ingest_call() { finish(verdict::unavailable, {}); }
  ingest_call(const ingest_call&) = delete;
  ingest_call& operator=(const ingest_call&) = delete;

  /// How many events the call brought.
  std::size_t count() const noexcept { return count_; }
  /// Since when it waits for its commit.
  time_point since() const noexcept { return since_; }
  /// It needs no other answer.
  bool answered() const noexcept { return answered_; }
  /// Hands the events over, once.
  std::vector<new_event> take() { return std::move(events_); }

  /// Thread-safe: a commit and the end of the patience with it may meet.
  void finish(verdict how, std::vector<ingest_result> results) {
    if (!answered_.exchange(true))
      done_(how, std::move(results));
  }

private:
  std::vector<new_event> events_;
  std::size_t count_;
  answer done_;
  time_point since_ = std::chrono::steady_clock::now();
  std::atomic<bool> answered_{false};
};
using ingest_call_ptr = std::shared_ptr<ingest_call>;
using ingest_batch = std::vector<ingest_call_ptr>;

/// What a commit of this node has made: its reader need not read that.
struct fresh_batch {
  std::vector<fresh_delivery> made; ///< none when they are too many to tell
  std::vector<event_ptr> events;    ///< what is to be sent, if it is not large
  std::uint32_t timeline = 0;       ///< of the server that took it
};
using fresh_ptr = std::shared_ptr<const fresh_batch>;

/// A question of the API. Runs once, or its failure is told once: if every
/// other way fails, by the destructor.
class query_call {
public:
  using job = std::function<void(store::catalog&)>;
  using answer = std::function<void(const store::error&)>;

  query_call(job what, answer failed)
      : job_{std::move(what)}, failed_{std::move(failed)} {}
  ~query_call() {
    fail({store::error::kind::transient, "whoever was asked has failed"});
  }
  query_call(const query_call&) = delete;
  query_call& operator=(const query_call&) = delete;

  /// Since when it waits.
  time_point since() const noexcept { return since_; }
  /// Throws what the job throws; it is not answered then.
  void run(store::catalog& in) {
    job_(in);
    answered_ = true;
  }
  void fail(const store::error& why) {
    if (!std::exchange(answered_, true))
      failed_(why);
  }

private:
  job job_;
  answer failed_;
  time_point since_ = std::chrono::steady_clock::now();
  bool answered_ = false; ///< one thread at a time has it
};
using query_call_ptr = std::shared_ptr<query_call>;

} // namespace postrider::actors
