#pragma once

#include "actors/counters.hpp"
#include "actors/flight_board.hpp"
#include "actors/log.hpp"
#include "actors/protocol.hpp"
#include "core/read_window.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace postrider::actors {

struct reader_options {
  read_limits window;
  /// The poll doubles from the first to the last while nothing is found.
  std::chrono::milliseconds poll_min{2};
  std::chrono::milliseconds poll_max{50};
  std::chrono::milliseconds due_every{100};
  std::chrono::milliseconds sweep_every{250};
  std::chrono::milliseconds endpoints_every{1'000};
  std::chrono::milliseconds clock_every{1'000};
  /// What was given to a driver and stays for longer is asked for.
  std::chrono::milliseconds doubt_every{1'000};
  /// At most so many rows in one statement.
  int most = 500;
  /// Other nodes have others, so that they don't ask together.
  std::uint32_t seed = 1;
  /// Whether a server of that timeline was left behind by a failover.
  std::function<bool(std::uint32_t)> overtaken = [](auto) { return false; };
  std::shared_ptr<flight_board> flights = std::make_shared<flight_board>();
  log_sink log;
  counters_ptr counters;
};

/// Takes from them what is for this actor.
void apply_live(const live_options& from, reader_options& to);

/// Starts the actor that reads ahead for all partitions of the node. One
/// question to the store is open at a time; which one comes next is decided
/// by what is known: late rows, new rows, shares with room, due retries,
/// changed endpoints, the health clock, the slow sweep, and else a cheap look
/// whether anything was committed at all.
reader_actor spawn_reader(caf::actor_system& system, reader_options options,
                          read_store_actor store);

} // namespace postrider::actors
