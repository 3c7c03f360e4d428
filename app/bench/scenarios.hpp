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

} // namespace postrider::app
