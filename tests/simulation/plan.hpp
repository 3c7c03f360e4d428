#pragma once

#include "core/health.hpp"
#include "core/read_window.hpp"
#include "tests/simulation/agenda.hpp"
#include "tests/simulation/dice.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace postrider::testing {

/// What one seed plays: how large the world is, what is done to it and how
/// often. Each kind of fault is there in about half of the seeds, so that rare
/// combinations are not always drowned by the others.
struct plan {
  int nodes = 2;
  int partitions = 4;
  int endpoints = 5;
  nanos storm{std::chrono::seconds{20}};  ///< until everything heals
  nanos quiet{std::chrono::seconds{240}}; ///< for what is left then

  std::chrono::milliseconds lease{3'000};
  std::chrono::milliseconds heartbeat{300};
  std::chrono::milliseconds poll_max{100};
  std::chrono::milliseconds settle_delay{3};
  std::size_t settle_most = 500;
  read_limits window;
  health_policy health;
  int tenant_cap = 0;
  bool orderly = false; ///< jobs run in the order in which they came

  // Load.
  int events = 120;
  double by_sql = 0.5;       ///< the others come through the ingester
  double rolled_back = 0.05; ///< of the transactions
  nanos longest_transaction{std::chrono::milliseconds{300}};

  // Each question to the database.
  double late = 0;
  nanos latest{std::chrono::milliseconds{500}};
  double hangs = 0;   ///< for longer than anybody's patience
  double refused = 0; ///< not executed
  double lost = 0;    ///< executed, and the answer lost

  // Each request.
  double fails = 0.02;  ///< a status that is no success
  double silent = 0;    ///< no answer in time
  double reset = 0;     ///< the connection breaks, arrived or not
  double unreached = 0; ///< never arrives
  double asks_rest = 0; ///< 429 with Retry-After
  double throws = 0;    ///< a driver of a partition, in the middle of its work

  double lost_messages = 0; ///< between the actors of a node

  // From time to time, each with its weight; 0: never.
  int database_away = 0;
  int database_crash = 0;
  int node_cut_off = 0;
  int network_away = 0;
  int kill = 0;
  int pause = 0;
  int leave = 0;
  int join = 0;
  int end_driver = 0;
  int end_breaker = 0;
  int end_settler = 0;
  int end_reader = 0;
  int sickness = 0;
  int operate = 0;
  nanos every{std::chrono::milliseconds{700}}; ///< between two of them

  int weights() const {
    return database_away + database_crash + node_cut_off + network_away + kill
           + pause + leave + join + end_driver + end_breaker + end_settler
           + end_reader + sickness + operate;
  }
};

/// The same seed gives the same plan.
plan make_plan(std::uint64_t seed);

} // namespace postrider::testing
