#include "app/bench/run_bench.hpp"
#include "app/bench/scenarios.hpp"
#include "app/commands/bench_options.hpp"
#include "app/commands/options.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace postrider::app {

namespace {

template <class Options>
struct given {
  bench_options all;
  Options own;
};

template <class Options>
void run_with(CLI::App& command, action& chosen,
              const std::shared_ptr<given<Options>>& options,
              bench_report (*work)(bench_stage&, const Options&)) {
  command.callback([&chosen, options, work] {
    chosen = [options, work] {
      set_up(options->own, options->all.stage);
      return run_checked_bench(options->all,
                               [options, work](bench_stage& stage) {
                                 return work(stage, options->own);
                               });
    };
  });
}

CLI::Option* add_count(CLI::App& command, const std::string& name, auto& into,
                       std::uint64_t most, const std::string& description) {
  return command.add_option(name, into, description)
      ->check(CLI::Range(std::uint64_t{1}, most))
      ->type_name("N")
      ->capture_default_str();
}

void add_rate(CLI::App& command, const std::string& name, double& into,
              const std::string& description) {
  command.add_option(name, into, description)
      ->check(CLI::Range(0.1, 1e5))
      ->type_name("N")
      ->capture_default_str();
}

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
  command
      ->add_option("--keep-rate", own.bounds.least_share,
                   "Fail when less than this percentage of the rate is left")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("PERCENT")
      ->capture_default_str();
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
  command
      ->add_option_function<std::string>(
          "--by", [&own](const std::string& way) { own.sql = way == "sql"; },
          "http or sql; one event in each request or transaction")
      ->check(CLI::IsMember({"http", "sql"}));
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
  add_comeback(bench, chosen);
}

} // namespace postrider::app
