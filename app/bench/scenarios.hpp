#pragma once

#include "app/bench/bench_stage.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace postrider::app {

struct deliver_options {
  std::uint64_t events = 100'000;
};

/// Writes a backlog, lets the node go, and measures until the receiver has
/// everything and the database says that nothing is left.
bench_report bench_deliver(bench_stage& stage, const deliver_options& options);

enum class producer_way { http, http_batch, sql, sql_batch };

struct ingest_options {
  std::uint64_t events = 20'000; ///< in each of the ways
  std::vector<producer_way> ways{producer_way::http, producer_way::http_batch,
                                 producer_way::sql, producer_way::sql_batch};
  std::uint64_t batch = 100;
  std::size_t connections = 32;
};

/// Accepts events in each of the ways, one after the other, while nothing is
/// sent; then lets the node deliver them all and checks what arrives.
bench_report bench_ingest(bench_stage& stage, const ingest_options& options);

struct e2e_options {
  double rate = 200; ///< events a second; 0: closed loop
  bool sql = false;  ///< published in SQL, not over HTTP
  std::chrono::milliseconds duration{20'000};
  std::chrono::milliseconds warm_up{3'000};
  std::size_t connections = 32;
};

/// Sends for so long and measures from the intended moment of each event to
/// its arrival.
bench_report bench_e2e(bench_stage& stage, const e2e_options& options);

/// How much of what a healthy endpoint gets may be lost to others.
struct isolation_bounds {
  double least_share = 95;                  ///< percent of the rate alone
  std::chrono::milliseconds most_delay{50}; ///< of p99, against p99 alone
};

struct sick_options {
  std::size_t endpoints = 200;
  std::size_t sick = 50;            ///< of them: a black hole
  std::uint64_t events = 200'000;   ///< a backlog of the healthy ones
  std::uint64_t sick_backlog = 100; ///< of each sick one
  double sick_rate =
      50; ///< new events a second for all sick ones, alone: for nobody
  double rate = 500; ///< likewise for the healthy ones
  std::chrono::milliseconds duration{15'000};
  int rounds = 3; ///< of draining, alone and beside the sick in turns
  isolation_bounds bounds;
};

/// What the stage of `bench_sick` needs: the healthy endpoints first.
void set_up(const sick_options& options, stage_options& stage);
/// Drains and sends steadily to healthy endpoints, alone and beside others
/// that lead to a black hole.
bench_report bench_sick(bench_stage& stage, const sick_options& options);

struct neighbour_options {
  std::size_t endpoints = 20; ///< of the tenant with the backlog
  std::uint64_t backlog = 500'000;
  double rate = 20; ///< events a second of each of the nine
  bool sql = false; ///< published in SQL, not over HTTP
  std::chrono::milliseconds duration{15'000};
  isolation_bounds bounds;
};

void set_up(const neighbour_options& options, stage_options& stage);
/// Nine tenants send steadily, alone and while the backlog of a tenth is
/// drained.
bench_report bench_neighbour(bench_stage& stage,
                             const neighbour_options& options);

struct comeback_options {
  double rate = 2'000; ///< of the endpoint
  std::uint64_t held = 50'000;
};

void set_up(const comeback_options& options, stage_options& stage);
/// An endpoint turns everything away until so much is held for it, and then
/// takes it: how fast does it come?
bench_report bench_comeback(bench_stage& stage,
                            const comeback_options& options);

} // namespace postrider::app
