#include "app/client/failure.hpp"
#include "app/commands/command.hpp"
#include "app/commands/explain.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "app/version.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  using namespace postrider::app;
  // A peer that goes away is an error of the write, not the end of us.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App root{"Postrider keeps events in PostgreSQL and delivers them: in "
                "order, signed, retried,\nnever lost.",
                "postrider"};
  root.require_subcommand(1);
  root.footer(exit_code_help);
  root.set_version_flag("--version", std::string{version()});
  action chosen;
  add_serve(root, chosen);
  add_dev(root, chosen);
  add_migrate(root, chosen);
  add_send(root, chosen);
  add_listen(root, chosen);
  add_bench(root, chosen);
  add_config(root, chosen);
  add_check_config(root, chosen);
  add_endpoints(root, chosen);
  add_events(root, chosen);
  add_deliveries(root, chosen);
  add_attempts(root, chosen);
  add_dead_letters(root, chosen);
  add_tenants(root, chosen);
  add_nodes(root, chosen);
  add_drain(root, chosen);
  add_tail(root, chosen);
  add_doctor(root, chosen);
  add_health(root, chosen);
  add_sign(root, chosen);
  add_verify(root, chosen);
  add_completion(root, chosen);
  add_man(root, chosen);
  add_version(root, chosen);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& found) {
    return explain(root, found);
  }
  try {
    return chosen();
  } catch (const failure& why) {
    complain(why.what());
    return why.code();
  } catch (const std::exception& fault) {
    complain(fault.what());
    return exit_failed;
  }
}
