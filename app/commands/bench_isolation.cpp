#include "app/commands/bench_helpers.hpp"
#include "app/commands/options.hpp"

namespace postrider::app {

namespace {

void add_sick(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "sick", "Some receivers never answer: what do the others lose?");
  auto options = std::make_shared<given<sick_options>>();
  auto& own = options->own;
  add_count(*command, "--endpoints", own.endpoints, 100'000, "In all");
  add_count(*command, "--sick", own.sick, 99'999,
            "Of them: lead to a black hole");
  add_count(*command, "--events", own.events, 100'000'000,
            "Backlog of the healthy ones");
  add_count(*command, "--sick-backlog", own.sick_backlog, 1'000'000,
            "Of each sick one");
  add_rate(*command, "--rate", own.rate,
           "New events a second for the healthy ones");
  add_rate(*command, "--sick-rate", own.sick_rate,
           "Likewise for the sick ones");
  add_duration_option(*command, "--duration", own.duration,
                      "What is measured of the new events (default 15s)");
  add_count(*command, "--rounds", own.rounds, 99,
            "The backlog is drained so often, alone and beside");
  add_percent(*command, "--keep-rate", own.bounds.least_share, 1e6,
              "Fail when less than this percentage of the rate is left");
  add_duration_option(*command, "--keep-p99", own.bounds.most_delay,
                      "Fail when p99 is longer by more (default 50ms)");
  add_bench_options(*command, options->all, false);
  command->footer(
      "In turns: the healthy endpoints alone, and beside sick ones with a\n"
      "backlog of their own and new events all the time. Each part has a new\n"
      "node, which drains a backlog; in the first round it then takes new\n"
      "events for --duration. The rates are compared round by round, and the\n"
      "median counts. http.timeout is 2s unless --set says otherwise.\n\n"
      "EXAMPLES\n"
      "  postrider bench sick\n"
      "  postrider bench sick --endpoints 1000 --sick 900 --rounds 5");
  command->parse_complete_callback([options] {
    if (options->own.sick >= options->own.endpoints)
      throw CLI::ValidationError{"--sick", "some endpoints must be healthy"};
  });
  run_with(*command, chosen, options, bench_sick);
}

void add_neighbour(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "neighbour", "One tenant has a backlog: how long do nine others wait?");
  auto options = std::make_shared<given<neighbour_options>>();
  auto& own = options->own;
  add_count(*command, "--endpoints", own.endpoints, 100'000,
            "Of the tenant with the backlog");
  add_count(*command, "--backlog", own.backlog, 100'000'000, "Its events");
  add_rate(*command, "--rate", own.rate, "Events a second of each of the nine");
  add_way(*command, own.sql);
  add_duration_option(*command, "--duration", own.duration,
                      "What is measured (default 15s)");
  add_duration_option(*command, "--keep-p99", own.bounds.most_delay,
                      "Fail when p99 is longer by more (default 50ms)");
  add_bench_options(*command, options->all, false);
  command->footer(
      "An open loop, as in `e2e`: nine tenants with two endpoints each, alone\n"
      "and then while the backlog of a tenth is drained. It ends early when\n"
      "nothing of the backlog is left.\n\n"
      "EXAMPLES\n"
      "  postrider bench neighbour\n"
      "  postrider bench neighbour --backlog 100000 --by sql");
  run_with(*command, chosen, options, bench_neighbour);
}

void add_skew(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "skew", "One endpoint has most of the load: what do the others lose?");
  auto options = std::make_shared<given<skew_options>>();
  auto& own = options->own;
  add_count(*command, "--endpoints", own.endpoints, 100'000,
            "Beside the hot one");
  add_count(*command, "--hot-endpoints", own.hot_endpoints, 10'000,
            "Hot ones; more than one are a tenant of their own");
  add_percent(*command, "--hot", own.hot, 99.9, "What they get of the load");
  add_rate(*command, "--rate", own.rate, "Events a second, in all");
  add_way(*command, own.sql);
  add_duration_option(*command, "--duration", own.duration,
                      "What is measured (default 15s)");
  add_duration_option(*command, "--keep-p99", own.bounds.most_delay,
                      "Fail when p99 is longer by more (default 50ms)");
  add_bench_options(*command, options->all, false);
  command->footer(
      "An open loop, as in `e2e`: the others with their part of the load\n"
      "alone, and then beside the hot one with the rest of it. Latencies are\n"
      "those of the others.\n\n"
      "EXAMPLES\n"
      "  postrider bench skew\n"
      "  postrider bench skew --hot-endpoints 20 --rate 5000 --by sql");
  run_with(*command, chosen, options, bench_skew);
}

void add_comeback(CLI::App& bench, action& chosen) {
  auto* command = bench.add_subcommand(
      "comeback", "A receiver is back: how fast comes what was held?");
  auto options = std::make_shared<given<comeback_options>>();
  auto& own = options->own;
  add_rate(*command, "--rate", own.rate, "Limit of its endpoint, a second");
  add_count(*command, "--held", own.held, 900'000,
            "Deliveries that are held when it comes back");
  add_bench_options(*command, options->all, false);
  command->footer(
      "The receiver answers 503 until so much is held for its endpoint, then\n"
      "204. The peak of any second may not be above the rate and its burst of\n"
      "20 ms. health.cooldowns is 1s unless --set says otherwise.\n\n"
      "EXAMPLES\n"
      "  postrider bench comeback\n"
      "  postrider bench comeback --rate 200 --held 5000");
  run_with(*command, chosen, options, bench_comeback);
}

} // namespace

void add_bench_isolation(CLI::App& bench, action& chosen) {
  add_sick(bench, chosen);
  add_neighbour(bench, chosen);
  add_skew(bench, chosen);
  add_comeback(bench, chosen);
}

} // namespace postrider::app
