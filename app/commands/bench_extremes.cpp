#include "app/commands/bench_helpers.hpp"
#include "app/commands/options.hpp"

namespace postrider::app {

namespace {

void add_fanout(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "fanout", "One event to many endpoints: when has the last one got it?");
  auto options = std::make_shared<given<fanout_options>>();
  auto& own = options->own;
  add_count(*command, "--endpoints", own.endpoints, 100'000,
            "That want the event");
  add_count(*command, "--events", own.events, 1'000, "One after the other");
  add_duration_option(*command, "--within", own.within,
                      "Fail when one takes longer (default 2s)");
  add_bench_options(*command, options->all, false);
  command->footer(
      "From just before an event is published until its last delivery is\n"
      "settled. The first one opens connections, which the next ones find.\n\n"
      "EXAMPLES\n"
      "  postrider bench fanout\n"
      "  postrider bench fanout --endpoints 1000 --within 500ms");
  run_with(*command, chosen, options, bench_fanout);
}

void add_slow_receiver(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "slow-receiver", "Receivers take long: what do open requests cost?");
  auto options = std::make_shared<given<slow_receiver_options>>();
  auto& own = options->own;
  add_count(*command, "--in-flight", own.in_flight, 50'000,
            "Requests, each to an endpoint of its own");
  command
      ->add_option("--keep-memory", own.most_memory,
                   "Fail when the node has more resident")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("MIB")
      ->capture_default_str();
  add_bench_options(*command, options->all, false);
  command->footer(
      "No request is answered until all are in flight. Then the memory of the\n"
      "node is looked at, and all are answered. http.timeout is 60s unless\n"
      "--set says otherwise. Node and receiver need a file descriptor for "
      "each:\n"
      "see `ulimit -n`.\n\n"
      "EXAMPLES\n"
      "  postrider bench slow-receiver\n"
      "  postrider bench slow-receiver --in-flight 1000 --keep-memory 100");
  run_with(*command, chosen, options, bench_slow_receiver);
}

void add_retry_storm(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "retry-storm", "All retries are due at once: how fast do they go?");
  auto options = std::make_shared<given<retry_storm_options>>();
  auto& own = options->own;
  add_count(*command, "--endpoints", own.endpoints, 100'000, "So many receive");
  add_count(*command, "--events", own.events, 10'000'000, "Deliveries");
  add_count(*command, "--failures", own.failures, 9,
            "Attempts of each that are turned away");
  add_bench_options(*command, options->all, false);
  command->footer(
      "Each receiver answers the first attempts of a delivery with 503. When\n"
      "all have been made every retry is made due at the same moment and a "
      "new\n"
      "node takes them. Health is told to look away, for what is held comes "
      "at\n"
      "a pace of its own: see `comeback`.\n\n"
      "EXAMPLES\n"
      "  postrider bench retry-storm\n"
      "  postrider bench retry-storm --events 200000 --endpoints 1000");
  command->parse_complete_callback([options] {
    // As many in a row make an endpoint sick whatever the setting.
    if (options->own.events > 999 * options->own.endpoints)
      throw CLI::ValidationError{"--events",
                                 "fewer than a thousand for each endpoint"};
  });
  run_with(*command, chosen, options, bench_retry_storm);
}

void add_idle(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "idle", "Many endpoints get nothing: what do they cost?");
  auto options = std::make_shared<given<idle_options>>();
  auto& own = options->own;
  add_count(*command, "--idle", own.idle, 1'000'000, "That nothing comes for");
  add_count(*command, "--endpoints", own.endpoints, 100'000,
            "That events come for");
  add_rate(*command, "--rate", own.rate, "Events a second");
  add_duration_option(*command, "--duration", own.duration,
                      "What is measured (default 15s)");
  command
      ->add_option("--keep-bytes", own.most_bytes,
                   "Fail when the node has more resident for each idle one")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("BYTES")
      ->capture_default_str();
  add_duration_option(*command, "--keep-p99", own.bounds.most_delay,
                      "Fail when p99 is longer by more (default 50ms)");
  add_bench_options(*command, options->all, false);
  command->footer(
      "An open loop, as in `e2e`, with one node; then the idle endpoints are\n"
      "made and the same is done with a new node.\n\n"
      "EXAMPLES\n"
      "  postrider bench idle\n"
      "  postrider bench idle --idle 10000 --duration 5s");
  run_with(*command, chosen, options, bench_idle);
}

void add_deep(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "deep", "Millions wait: does a delivery cost more than of a few?");
  auto options = std::make_shared<given<deep_options>>();
  auto& own = options->own;
  add_count(*command, "--endpoints", own.endpoints, 100'000, "So many receive");
  add_count(*command, "--backlog", own.backlog, 100'000'000, "So many wait");
  add_count(*command, "--drain", own.drain, 100'000'000,
            "Deliver so many of them; the small backlog is as large");
  command->add_option("--held", own.held, "Deliveries held beside them")
      ->check(CLI::Range(0, 10'000'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--snapshot", own.snapshot,
                    "Another session holds a snapshot, as a long report does");
  add_percent(*command, "--keep-cpu", own.tolerance, 1e6,
              "Fail when a delivery costs more CPU by more");
  add_bench_options(*command, options->all, false);
  command->footer(
      "A small backlog is drained; then a deep one is written in large\n"
      "statements, and as many of it are delivered. What is compared is the "
      "CPU\n"
      "of all processes for one delivery.\n\n"
      "EXAMPLES\n"
      "  postrider bench deep\n"
      "  postrider bench deep --backlog 10000000 --snapshot\n"
      "  postrider bench deep --held 1000000");
  command->parse_complete_callback([options] {
    if (options->own.drain > options->own.backlog)
      throw CLI::ValidationError{"--drain", "no more than --backlog"};
  });
  run_with(*command, chosen, options, bench_deep);
}

void add_several_nodes(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "nodes", "Several nodes share the work: what does a delivery cost?");
  auto options = std::make_shared<given<nodes_options>>();
  auto& own = options->own;
  add_count(*command, "--nodes", own.nodes, 16, "On one database");
  add_count(*command, "--endpoints", own.endpoints, 100'000, "So many receive");
  add_count(*command, "--events", own.events, 100'000'000, "In each part");
  add_percent(*command, "--keep-cpu", own.tolerance, 1e6,
              "Fail when a delivery costs more CPU by more");
  add_bench_options(*command, options->all, false);
  command->footer(
      "One producer publishes as fast as it can, 500 events in a transaction,\n"
      "while one node delivers; then once more with several, each with its "
      "share\n"
      "of the partitions. What is compared is the CPU of all processes for "
      "one.\n\n"
      "EXAMPLES\n"
      "  postrider bench nodes\n"
      "  postrider bench nodes --nodes 5 --events 300000");
  run_with(*command, chosen, options, bench_nodes);
}

} // namespace

void add_bench_extremes(CLI::App& bench, action& chosen) {
  add_fanout(bench, chosen);
  add_slow_receiver(bench, chosen);
  add_retry_storm(bench, chosen);
  add_idle(bench, chosen);
  add_deep(bench, chosen);
  add_several_nodes(bench, chosen);
}

} // namespace postrider::app
