#include "app/api_client.hpp"
#include "app/client/node_settings.hpp"
#include "app/commands/client_command.hpp"
#include "app/json_text.hpp"

namespace postrider::app {

namespace {

struct health_options : client_options {
  bool ready = false;
};

std::string address_of(const health_options& options) {
  if (!options.url.empty())
    return options.url;
  const auto found = node_settings(options.config);
  return found && found->admin.port != 0 ? callable(found->admin)
                                         : "http://127.0.0.1:9090";
}

int health(const health_options& options) {
  const auto url = address_of(options);
  api_client node{url, "", options.timeout};
  const auto answer = node.call("GET", options.ready ? "/readyz" : "/healthz");
  if (answer.status == 0)
    throw failure{exit_unreachable,
                  fmt::format("{} does not answer ({})\n"
                              "try: --url with the address of admin.listen",
                              url, answer.fault)};
  if (answer.status != 200 && answer.status != 503)
    throw failure{exit_failed,
                  fmt::format("{} answered {}: is it the admin listener of a "
                              "node?",
                              url, answer.status)};
  if (options.json)
    fmt::print("{}\n", answer.body);
  else if (!options.quiet)
    print_object(options, answer.body);
  return answer.status == 200 ? exit_done : exit_failed;
}

} // namespace

void add_health(CLI::App& root, action& chosen) {
  auto options = std::make_shared<health_options>();
  options->timeout = std::chrono::seconds{5};
  auto* verb = root.add_subcommand(
      "health", "Ask a node's admin listener how it is; for container checks");
  verb->footer("Exit code 0 when all is well, 1 when not, 4 without an "
               "answer.\n\n"
               "EXAMPLES\n"
               "  postrider health --ready --quiet\n"
               "  postrider health --url http://127.0.0.1:9090");
  verb->add_flag("--ready", options->ready,
                 "Whether it takes part in the work, not only lives");
  verb->add_option("--url", options->url,
                   "The admin listener (from the configuration, else "
                   "http://127.0.0.1:9090)")
      ->envname("POSTRIDER_ADMIN_URL")
      ->type_name("URL");
  add_config_option(*verb, options->config);
  add_duration_option(*verb, "--timeout", options->timeout,
                      "How long to wait for an answer (5s)");
  verb->add_flag("--json", options->json, "The answer as it came");
  verb->add_flag("-q,--quiet", options->quiet, "Only the exit code");
  verb->callback(
      [&chosen, options] { chosen = [options] { return health(*options); }; });
}

} // namespace postrider::app
