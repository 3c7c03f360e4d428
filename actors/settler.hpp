#pragma once

#include "actors/counters.hpp"
#include "actors/log.hpp"
#include "actors/outcome_box.hpp"
#include "actors/protocol.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>

namespace postrider::actors {

struct settler_options {
  /// A batch is written when it holds this many outcomes, …
  std::size_t most = 500;
  /// … or when the first of them has waited this long.
  std::chrono::milliseconds delay{3};
  /// Between tries while the database is away.
  std::chrono::milliseconds first_pause{50};
  std::chrono::milliseconds longest_pause{2'000};
  /// Where they come from.
  std::shared_ptr<outcome_box> box = std::make_shared<outcome_box>();
  log_sink log;
  counters_ptr counters;
};

/// Takes from them what is for this actor.
void apply_live(const live_options& from, settler_options& to);

/// Starts the actor that has outcomes written, in batches. None is ever dropped
/// while the process lives (G6): they wait in the box while the database is
/// away, and for a successor when this actor fails. The box is told to tell it
/// of them.
settler_actor spawn_settler(caf::actor_system& system, settler_options options,
                            settle_store_actor store);

} // namespace postrider::actors
