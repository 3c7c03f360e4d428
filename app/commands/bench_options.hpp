#pragma once

#include "app/bench/run_bench.hpp"
#include "app/commands/command.hpp"

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace postrider::app {

/// The options that every benchmark takes; `--endpoints` only where they are
/// all alike.
void add_bench_options(CLI::App& command, bench_options& into,
                       bool with_endpoints = true);

/// What others may do to an endpoint: `sick`, `neighbour`, `skew`, `comeback`.
void add_bench_isolation(CLI::App& bench, action& chosen);

/// Much of one thing: `fanout`, `slow-receiver`, `retry-storm`, `idle`, `deep`.
void add_bench_extremes(CLI::App& bench, action& chosen);

/// Runs a benchmark as `run_bench` does, once the node's configuration has been
/// found right; prints what is wrong with it otherwise (exit code 3).
int run_checked_bench(const bench_options& options, const scenario& work);

/// The processes that a benchmark starts, as hidden commands.
void add_bench_parts(CLI::App& bench, action& chosen);

/// Accepts the name of an `arrival_fault`.
CLI::Validator arrival_fault_name();

} // namespace postrider::app
