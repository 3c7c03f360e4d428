#include "app/bench/run_bench.hpp"
#include "app/bench/scenarios.hpp"
#include "app/commands/bench_options.hpp"
#include "app/commands/command.hpp"
#include "app/commands/options.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>

namespace postrider::app {

namespace {

void add_deliver(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "deliver", "Drain a backlog: how fast can it be delivered?");
  struct given {
    bench_options all;
    deliver_options own;
  };
  auto options = std::make_shared<given>();
  command->add_option("--events", options->own.events, "In the backlog")
      ->check(CLI::Range(1, 100'000'000))
      ->type_name("N")
      ->capture_default_str();
  add_bench_options(*command, options->all);
  command->footer(
      "The backlog is written first; then the database is vacuumed and a\n"
      "checkpoint written. The clock runs from the node's start until the\n"
      "receiver has everything and the database says that nothing is left.\n\n"
      "EXAMPLES\n"
      "  postrider bench deliver\n"
      "  postrider bench deliver --events 1000000 --endpoints 1000\n"
      "  postrider bench deliver --assert 'rate>20000' --report run.json");
  command->callback([&chosen, options] {
    chosen = [options] {
      return run_checked_bench(options->all, [options](bench_stage& stage) {
        return bench_deliver(stage, options->own);
      });
    };
  });
}

void add_ingest(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "ingest", "Accept events by HTTP and by SQL: how fast?");
  struct given {
    bench_options all;
    ingest_options own;
  };
  auto options = std::make_shared<given>();
  auto& own = options->own;
  command->add_option("--events", own.events, "In each of the ways")
      ->check(CLI::Range(1, 100'000'000))
      ->type_name("N")
      ->capture_default_str();
  const std::map<std::string, producer_way> names{
      {"http", producer_way::http},
      {"http-batch", producer_way::http_batch},
      {"sql", producer_way::sql},
      {"sql-batch", producer_way::sql_batch}};
  command
      ->add_option("--by", own.ways,
                   "http, http-batch, sql, sql-batch (default: all of them)")
      ->transform(CLI::CheckedTransformer(names))
      ->type_name("WAY")
      ->delimiter(',');
  command->add_option("--batch", own.batch, "Events in a batch")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--connections", own.connections, "Work at once")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  add_bench_options(*command, options->all);
  command->footer(
      "A closed loop: each connection sends its next request when the last\n"
      "was answered. Nothing is sent to receivers meanwhile; at the end all "
      "is\n"
      "delivered and checked.\n\n"
      "EXAMPLES\n"
      "  postrider bench ingest\n"
      "  postrider bench ingest --by http --connections 64 --events 50000\n"
      "  postrider bench ingest --by sql-batch --batch 500");
  command->callback([&chosen, options] {
    chosen = [options] {
      return run_checked_bench(options->all, [options](bench_stage& stage) {
        return bench_ingest(stage, options->own);
      });
    };
  });
}

void add_e2e(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "e2e", "Send steadily: how long until an event arrives?");
  struct given {
    bench_options all;
    e2e_options own;
  };
  auto options = std::make_shared<given>();
  auto& own = options->own;
  auto* rate = command->add_option("--rate", own.rate, "Events a second")
                   ->check(CLI::Range(0.1, 1e6))
                   ->type_name("N")
                   ->capture_default_str();
  command
      ->add_flag_callback(
          "--closed-loop", [&own] { own.rate = 0; },
          "As fast as answers come; latencies then hide every wait")
      ->excludes(rate);
  add_duration_option(*command, "--duration", own.duration,
                      "What is measured (default 20s)");
  add_duration_option(*command, "--warmup", own.warm_up,
                      "What is sent before that (default 3s)");
  command
      ->add_option_function<std::string>(
          "--by", [&own](const std::string& way) { own.sql = way == "sql"; },
          "http or sql; one event in each request or transaction")
      ->check(CLI::IsMember({"http", "sql"}));
  command->add_option("--connections", own.connections, "Work at once")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  add_bench_options(*command, options->all);
  command->footer(
      "An open loop: each event has its moment, whether or not the ones "
      "before\n"
      "it were answered, and latency counts from that moment to the arrival "
      "of\n"
      "the whole request. A stall is thus seen by every event that it "
      "delays.\n\n"
      "EXAMPLES\n"
      "  postrider bench e2e --rate 200 --assert 'p99<50ms'\n"
      "  postrider bench e2e --rate 5000 --duration 1m --warmup 10s\n"
      "  postrider bench e2e --by sql --connections 8\n"
      "  postrider bench e2e --closed-loop --connections 64");
  command->callback([&chosen, options] {
    chosen = [options] {
      return run_checked_bench(options->all, [options](bench_stage& stage) {
        return bench_e2e(stage, options->own);
      });
    };
  });
}

} // namespace

void add_bench(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand(
      "bench", "Measure on this machine, and check what arrives");
  command->require_subcommand(1);
  add_deliver(*command, chosen);
  add_ingest(*command, chosen);
  add_e2e(*command, chosen);
  add_bench_isolation(*command, chosen);
  add_bench_extremes(*command, chosen);
  add_bench_parts(*command, chosen);
  command->footer(
      "Runs a database, a node and a receiver, each in processes of their\n"
      "own. Anything lost, twice, out of order or badly signed makes the run\n"
      "fail: exit code 8. The node takes its settings from the configuration\n"
      "file, the environment and --set, as `serve` does.\n\n"
      "EXAMPLES\n"
      "  postrider bench deliver --events 20000\n"
      "  postrider bench sick\n"
      "  postrider bench deliver --set delivery.window=8000");
}

} // namespace postrider::app
