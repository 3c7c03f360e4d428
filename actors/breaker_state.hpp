#pragma once

#include "actors/breaker.hpp"
#include "actors/metered.hpp"
#include "core/pacing.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <optional>

namespace postrider::actors {

struct breaker_state;
using breaker_ptr = metered_pointer<breaker_actor, breaker_state>;

/// What a breaker knows of its endpoint. The rules are core/health.hpp's; here
/// is when they are asked, who is told, and how it comes on record.
struct breaker_state {
  static constexpr const char* name = "breaker";

  explicit breaker_state(breaker_ptr owner) : self{owner} {}
  time_point now() const { return self->clock().now(); }
  health_meters& meters() { return options.counters->meters.health; }
  bool holding() const { return holds(of.state); }

  // -- what others say -------------------------------------------------------
  void adopt(const endpoint_ptr& fresh);
  void take_record(const health_record& record);
  void report(const health_report& what);
  void pause(std::chrono::milliseconds by);
  void want(int many);
  void clock(bool held);
  void read_all();
  void stopped(const id_list& running);
  void tick();

  // -- what follows ----------------------------------------------------------
  void turn_to(const health& next, bool by_receiver);
  void log_move(health_state was);
  void begin_trial();
  permit word() const;
  void decide();
  void tell_reopening();
  void tell(const permit& next);
  std::chrono::milliseconds pause_left() const;
  void wake_in(std::chrono::nanoseconds after);

  // -- on record -------------------------------------------------------------
  void look_up();
  void save();
  store::health_move as_move() const;
  void saved(const moved& done);
  void again();

  // -- what is open for it ---------------------------------------------------
  enum class flipping : std::uint8_t { none, hold, cancel };
  flipping flip_wanted() const;
  void begin_flip();
  void next_chunk();
  void chunk(const store::chunk_done& done);
  void end_flip();

  breaker_ptr self;
  breaker_options options;
  partition_actor driver;
  health_store_actor store;

  endpoint_ptr to;
  health_policy policy;
  health of;
  failure_window failures;
  pacing pace;
  std::int64_t revision = 0;
  bool paused = false;
  bool releasing = false; ///< on record too
  /// Of a policy that sheds: a trial is due and nothing is held for it, so the
  /// next delivery is kept to be it.
  bool letting_in = false;
  std::optional<time_point> not_before;

  permit told;
  std::uint64_t spoken = 0; ///< words so far
  int wanted = 0;           ///< tokens that the driver waits for
  bool reopening = false;   ///< the reader has not read all yet
  time_point remind_at{};   ///< the driver of that
  bool trial_out = false;
  time_point trial_since{};
  std::optional<time_point> timer;

  bool looking_up = false; ///< what is on record is not known yet
  bool saving = false;
  bool unsaved = false;        ///< changed again meanwhile
  bool unsaved_return = false; ///< healthy, but not on record yet
  bool from_receiver = false;

  std::optional<chunk_query> flip; ///< under way
  flipping flips = flipping::none;
  flipping flipped = flipping::none;
  std::optional<id_list> in_flight; ///< when the driver had stopped
};

} // namespace postrider::actors
