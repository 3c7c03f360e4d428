#pragma once

#include "app/bench/arrival_fault.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace postrider::app {

struct bench_receiver_options {
  std::size_t endpoints = 1;
  /// One signature in so many is checked; 0: none.
  std::uint64_t verify_every = 16;
  std::string header_prefix = "X-Postrider-";
  arrival_fault fault = arrival_fault::none;
  std::uint64_t seed = 1;
  /// Each event goes to every endpoint, and has to come to each once.
  bool fan_out = false;
};

/// The receiver of a benchmark, in a process of its own: takes what comes to
/// `/e/<endpoint>` and judges it. A second port is a black hole: what comes
/// there is read, counted, and never answered. Writes `port N` and the black
/// hole's number to standard output and then obeys standard input, one line
/// each:
///
///     key ENDPOINT SECRET   no answer; the endpoint's signing secret
///     measure MICROS        no answer; latencies and pace count from then on
///     watch ENDPOINTS       no answer; latencies count for those below it
///     answer STATUS         no answer; 204 or, to turn all away, 503
///     refuse ATTEMPTS       no answer; so many of each delivery get a 503
///     hold                  no answer; requests wait until `release`
///     release               no answer; they are answered, and all later ones
///     stats                 the totals, in the order of `arrival_totals`
///     overtakings           pairs of number and intended
///     latencies             the histogram, packed
///     pace                  the peak and the count of each second
///
/// Ends with its input. Returns the exit code.
int run_bench_receiver(const bench_receiver_options& options);

} // namespace postrider::app
