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

struct fanout_options {
  std::size_t endpoints = 10'000;
  std::uint64_t events = 3; ///< one after the other
  std::chrono::milliseconds within{2'000};
};

void set_up(const fanout_options& options, stage_options& stage);
/// One event for all endpoints: from just before it is published until the
/// last delivery is settled.
bench_report bench_fanout(bench_stage& stage, const fanout_options& options);

struct skew_options {
  std::size_t endpoints = 50;    ///< beside the hot ones
  std::size_t hot_endpoints = 1; ///< more: of a tenant of their own
  double rate = 1'000;           ///< events a second, in all
  double hot = 90;               ///< percent of them
  bool sql = false;              ///< published in SQL, not over HTTP
  std::chrono::milliseconds duration{15'000};
  isolation_bounds bounds;
};

void set_up(const skew_options& options, stage_options& stage);
/// One endpoint or tenant has most of the load: the latencies of the others
/// with their part of it alone, and beside that one.
bench_report bench_skew(bench_stage& stage, const skew_options& options);

struct slow_receiver_options {
  std::size_t in_flight = 10'000;
  std::int64_t most_memory = 400; ///< MiB that the node may have resident
};

void set_up(const slow_receiver_options& options, stage_options& stage);
/// No request is answered until so many are in flight: what does the node hold
/// then?
bench_report bench_slow_receiver(bench_stage& stage,
                                 const slow_receiver_options& options);

struct retry_storm_options {
  std::size_t endpoints = 256;
  std::uint64_t events = 50'000;
  int failures = 1; ///< attempts of each delivery that are turned away
};

void set_up(const retry_storm_options& options, stage_options& stage);
/// Every first attempt fails, and so often after; each time all retries are
/// due at one moment.
bench_report bench_retry_storm(bench_stage& stage,
                               const retry_storm_options& options);

struct idle_options {
  std::size_t endpoints = 100; ///< that events come for
  std::size_t idle = 100'000;
  double rate = 300; ///< events a second
  std::chrono::milliseconds duration{15'000};
  std::int64_t most_bytes = 2'048; ///< of the node for each idle one
  isolation_bounds bounds;
};

void set_up(const idle_options& options, stage_options& stage);
/// A steady load alone, and beside endpoints that nothing comes for.
bench_report bench_idle(bench_stage& stage, const idle_options& options);

struct deep_options {
  std::size_t endpoints = 256;
  std::uint64_t backlog = 2'000'000;
  std::uint64_t drain = 100'000; ///< of it; as many are the small backlog
  std::uint64_t held = 0;        ///< deliveries held beside it
  bool snapshot = false;         ///< another session holds one meanwhile
  double tolerance = 10;         ///< percent of CPU for one
};

void set_up(const deep_options& options, stage_options& stage);
/// What a delivery costs when few wait, and when very many do.
bench_report bench_deep(bench_stage& stage, const deep_options& options);

struct nodes_options {
  std::size_t endpoints = 256;
  std::size_t nodes = 3;
  std::uint64_t events = 100'000;
  double tolerance = 15; ///< percent of CPU for one
};

void set_up(const nodes_options& options, stage_options& stage);
/// What a delivery costs when one node does all, and when several share it.
bench_report bench_nodes(bench_stage& stage, const nodes_options& options);

} // namespace postrider::app
