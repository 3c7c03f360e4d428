#include "app/bench/node_process.hpp"
#include "app/bench/receiver_process.hpp"
#include "app/commands/bench_options.hpp"
#include "app/commands/options.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace postrider::app {

void add_bench_parts(CLI::App& bench, action& chosen) {
  auto* receiver = bench.add_subcommand("receiver")->group("");
  auto options = std::make_shared<bench_receiver_options>();
  receiver->add_option("--endpoints", options->endpoints);
  receiver->add_option("--verify-every", options->verify_every);
  receiver->add_option("--header-prefix", options->header_prefix);
  receiver->add_option("--seed", options->seed);
  receiver->add_flag("--fan-out", options->fan_out);
  receiver
      ->add_option_function<std::string>("--fault",
                                         [options](const std::string& name) {
                                           options->fault =
                                               *parse_arrival_fault(name);
                                         })
      ->check(arrival_fault_name());
  receiver->callback([&chosen, options] {
    chosen = [options] { return run_bench_receiver(*options); };
  });
  auto* node = bench.add_subcommand("node")->group("");
  auto folder = std::make_shared<std::string>();
  auto config = std::make_shared<std::string>();
  auto settings = std::make_shared<std::vector<std::string>>();
  node->add_option("--folder", *folder)->required();
  add_config_option(*node, *config);
  add_set_option(*node, *settings);
  node->callback([&chosen, folder, config, settings] {
    chosen = [folder, config, settings] {
      return run_bench_node(*config, *settings, *folder);
    };
  });
}

} // namespace postrider::app
