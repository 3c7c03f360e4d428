#pragma once

#include "actors/breaker.hpp"
#include "actors/metered.hpp"
#include "actors/open_attempt.hpp"
#include "actors/partition.hpp"
#include "core/lines.hpp"
#include "core/restarts.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace postrider::actors {

struct partition_state;
using partition_ptr = metered_pointer<partition_actor, partition_state>;

/// What a partition's driver knows. partition.cpp takes deliveries from claim
/// to request, partition_outcomes.cpp from the result to the outcome;
/// partition_guards.cpp does what the breakers say, partition_watch.cpp asks
/// again for what was lost.
struct partition_state {
  static constexpr const char* name = "partition";

  explicit partition_state(partition_ptr owner) : self{owner} {}
  /// Breakers don't outlive their driver.
  ~partition_state();
  partition_state(const partition_state&) = delete;
  partition_state& operator=(const partition_state&) = delete;

  /// An endpoint with traffic, and the word of its breaker.
  struct guard {
    breaker_actor breaker;
    endpoint_ptr to;
    permit word;
    int at_gate = 0;    ///< gates that the reader has not confirmed yet
    id_list given_back; ///< goes with the next one
    /// Outcomes of the node that came until the last one was to be held.
    std::uint64_t held_upto = 0;
    read_gate gate{}; ///< the last one
    time_point gate_at{};
    bool reading = false; ///< it was reopened and not all is read
    int reopened = 0;     ///< times that it was reopened to no end
    time_point asked_at{};
    bool gated = false;      ///< the last gate let nothing through
    std::int64_t trying = 0; ///< its trial, which is here; 0: none
    bool asked = false;      ///< for tokens
    int running = 0;
    int successes = 0; ///< not told yet
    time_point used{};
    /// Its place in the line of its tenant.
    std::optional<tenant_limits::waiter> seat;
  };

  time_point now() const { return self->clock().now(); }
  partition_meters& meters() {
    return options.counters->meters.partition_of(options.lease.partition);
  }
  health_meters& health() { return options.counters->meters.health; }

  // -- what a driver before this one has left --------------------------------
  /// Begins once that one has ended, with what it had in flight.
  void enter();
  void inherit(const flights& left);
  /// For a driver that comes after another all is read once more: a row that is
  /// as it was before an outcome is not to be sent once more.
  bool is_outdated(const delivery& row) const;
  void note_heirloom(const store::settlement& outcome);
  /// Nothing that was read before is on its way any more.
  void forget_settled();

  // -- after crashes ---------------------------------------------------------
  bool is_careful() const;
  /// As `pump`, one delivery at a time, which is put on record before.
  void pump_carefully();
  void mark(const delivery& row);
  void begin_marked(const delivery& row);
  /// Whether the delivery on record may still be the end of this process.
  bool is_dangerous() const;
  void end_turn();
  void clear_record();

  // -- from claim to outcome -------------------------------------------------
  void claimed(const work_list& some);
  /// Fails a delivery that has been the end of too many drivers.
  bool is_deadly(const work& what);
  /// Starts what may start; the requests go to the worker in one message.
  void pump();
  void begin_all(http_job_list& jobs);
  /// False when nothing at all may begin.
  bool begin(const delivery& row, http_job_list& jobs);
  header_lines signed_headers(const work& what);
  std::chrono::milliseconds timeout_of(const endpoint& to) const;
  std::chrono::milliseconds connect_timeout_of(const endpoint& to) const;
  /// Why a delivery ends without a request; nothing when it may be sent.
  std::optional<settlement_plan> refuse(const work& what) const;
  /// Attempts in all: the row's own limit, or that of the endpoint's policy.
  static int limit_of(const work& what);
  std::chrono::milliseconds remaining(const work& what) const;
  /// Takes what is in the inbox.
  void collect();
  /// False when its stream doesn't move on.
  bool finished(std::int64_t ticket, attempt_result& result);
  /// Whether this node is to blame, not the receiver.
  bool is_ours(const open_attempt& open, const attempt_result& result,
               const settlement_plan& plan);
  /// Ours, not theirs: no attempt is spent, and its stream keeps its place.
  void defer(std::int64_t id);
  void pump_in(std::chrono::nanoseconds after);
  void again();
  void settle(const open_attempt& open, const settlement_plan& plan,
              attempt_result&& result);
  void settle_unsent(const work& what, const settlement_plan& plan);
  void keep(store::settlement&& outcome);
  store::settlement settlement_of(const work& what,
                                  const settlement_plan& plan) const;
  /// The delivery leaves the line it was taken from.
  void drop(std::int64_t id);
  void stop_running(open_attempt& open);

  // -- the lease -------------------------------------------------------------
  void endpoints_changed(const endpoint_list& changed);
  void learn_late(guard& of, const endpoint_ptr& to);
  void renew(time_point until);
  void drain();
  void report_if_drained();
  void apply(const live_options_ptr& fresh);

  // -- what may have been lost (partition_watch.cpp) -------------------------
  void tick();
  /// Attempts whose worker died with them would stay open for ever.
  void watch_silence();
  /// Asks again whoever has not answered for long.
  void watch_words();
  void watch_guard(std::int64_t endpoint, guard& of);
  /// Whether a breaker says once more what is being done.
  bool is_reopening(std::int64_t endpoint, const guard& of) const;
  /// Tells the reader which of those that it asks for are not here.
  void answer_doubts();

  // -- what the breakers say -------------------------------------------------
  guard& guard_of(const endpoint_ptr& to);
  guard* find_guard(std::int64_t endpoint);
  void spawn_guard(guard& of, bool successor);
  enum class admission { line, back, hold, cancel };
  admission admit(guard& of, const delivery& row);
  void turn_away(const work& what, admission how, id_list& back);
  bool shut_out(const work& what);
  void permitted(std::int64_t endpoint, const permit& word);
  void follow(guard& of, permit::mode was);
  void set_gate(guard& of, read_gate how);
  /// Once what was to be held is written: it would be overtaken by what the
  /// gate lets through.
  void send_gate(guard& of);
  void gate_set(std::int64_t endpoint);
  void gate_read(std::int64_t endpoint);
  void clock(const clock_list& all);
  void ask_for_tokens();
  void tenant_free(const std::string& tenant);
  tenant_limits::waiter seat_of(const std::string& tenant);
  bool tenant_lets(guard& of, open_attempt& open);
  /// What the endpoint's health makes of the plan, and the word to its breaker.
  void judge(guard& of, const open_attempt& open, settlement_plan& plan);
  void trial_is_void(const work& what);
  id_list running_of(std::int64_t endpoint) const;
  void set_lane(const guard& of);
  void forget_idle();
  void down(const caf::down_msg& what);

  partition_ptr self;
  partition_options options;
  partition_peers with;
  std::shared_ptr<attempt_inbox> inbox = std::make_shared<attempt_inbox>();
  std::deque<attempt_inbox::entry> collected; ///< not dealt with yet
  std::vector<work_list> early;               ///< came before it could begin
  bool entered = false;
  /// What had an outcome that may not show in what is read, and the attempts
  /// that it had before.
  std::unordered_map<std::int64_t, int> settled_before;
  /// Of what was in flight before this what still is.
  std::unordered_set<std::int64_t> heirlooms;
  std::uint64_t entered_at = 0;     ///< outcomes that had come by then
  std::uint64_t left_unwritten = 0; ///< up to this number
  time_point inherits_since{};      ///< or since the last of those was written
  /// What it deals with right now: stays when that is its end.
  std::int64_t handling = 0;
  time_point calm_at{};    ///< careful until then
  bool marking = false;    ///< is being put on record
  std::int64_t marked = 0; ///< is on record
  bool on_record = false;  ///< something may be
  time_point marked_at{};
  lines waiting;
  std::unordered_map<std::int64_t, open_attempt> works;
  std::unordered_map<std::int64_t, std::int64_t> running; ///< by ticket
  std::unordered_map<std::int64_t, guard> guards;         ///< by endpoint
  std::set<std::int64_t> doubted;  ///< not here a moment ago
  std::set<std::int64_t> metered;  ///< endpoints that need tokens
  std::set<std::int64_t> crowded;  ///< endpoints whose tenant has no room
  std::set<std::int64_t> paced;    ///< endpoints whose tenant is at its rate
  std::set<std::int64_t> at_gates; ///< endpoints whose gate is not sent yet
  restarts failures;
  std::int64_t tickets = 0;
  time_point good_until{};
  std::optional<time_point> timer;
  bool draining = false;
  bool reported = false;
};

} // namespace postrider::actors
