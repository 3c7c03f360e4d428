#include "app/commands/config_client.hpp"

#include "app/api_client.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "config/secret.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace postrider::app {

namespace {

using json = nlohmann::json;

struct client_config_options {
  std::string url = "http://127.0.0.1:8080";
  std::string token_file;
  bool as_json = false;
};

std::string text_of(const json& from, const char* name) {
  const auto found = from.find(name);
  return found != from.end() && found->is_string() ? found->get<std::string>()
                                                   : "";
}

/// What has changed, or would, a line for each key.
void print_changes(const json& report) {
  for (const auto& one : report.value("warnings", json::array()))
    fmt::print(stderr, "warning: {}\n", text_of(one, "detail"));
  const auto changes = report.value("changes", json::array());
  for (const auto& one : changes)
    fmt::print("{}: {} -> {}{}\n", text_of(one, "key"), text_of(one, "before"),
               text_of(one, "after"),
               text_of(one, "in_force_after") == "restart"
                   ? "  (after a restart)"
                   : "");
  if (changes.empty())
    fmt::print(stderr, "nothing differs\n");
}

void print_refusal(const json& problem) {
  for (const auto& one : problem.value("errors", json::array()))
    fmt::print(stderr, "{}\n", text_of(one, "detail"));
  complain(text_of(problem, "detail"));
}

int call(const client_config_options& options, const std::string& path) {
  std::string token;
  if (!options.token_file.empty()) {
    const auto content = config::read_secret_file(
        options.token_file, config::process_environment());
    const auto wrong = content.fault.empty()
                           ? config::read_line(content.text, token)
                           : std::optional{content.fault};
    if (wrong) {
      complain("--token-file: " + *wrong);
      return exit_usage;
    }
  }
  api_client node{options.url, token};
  const auto answer = node.post(path, "");
  if (answer.status == 0) {
    complain(fmt::format("{} does not answer ({}): is it running? name it with "
                         "--url URL",
                         options.url, answer.fault));
    return exit_unreachable;
  }
  const bool good = answer.status == 200;
  const auto body = json::parse(answer.body, nullptr, false);
  if (options.as_json || !body.is_object())
    fmt::print(good ? stdout : stderr, "{}\n", answer.body);
  else if (good)
    print_changes(body);
  else
    print_refusal(body);
  if (good)
    return exit_done;
  return answer.status == 422 ? exit_config : exit_refused;
}

void add_verb(CLI::App& config, action& chosen, const std::string& name,
              const std::string& description, const char* path) {
  auto* verb = config.add_subcommand(name, description);
  auto options = std::make_shared<client_config_options>();
  verb->add_option("--url", options->url, "The node's API")
      ->envname("POSTRIDER_URL")
      ->type_name("URL")
      ->capture_default_str();
  verb->add_option("--token-file", options->token_file,
                   "File that holds the bearer key")
      ->envname("POSTRIDER_TOKEN_FILE")
      ->type_name("FILE");
  verb->add_flag("--json", options->as_json, "Print the node's answer");
  verb->footer(fmt::format("Exit code 3 when the node finds a fault; nothing "
                           "has changed then.\n\n"
                           "EXAMPLES\n"
                           "  postrider config {} --token-file api.key",
                           name));
  verb->callback([&chosen, options, path] {
    chosen = [options, path] { return call(*options, path); };
  });
}

} // namespace

void add_config_client(CLI::App& config, action& chosen) {
  add_verb(config, chosen, "reload",
           "Have a node read its configuration again and put it in force",
           "/v1/config/reload");
  add_verb(config, chosen, "diff",
           "What a reload of a node would change, and what needs a restart",
           "/v1/config/check");
}

} // namespace postrider::app
