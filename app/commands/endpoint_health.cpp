#include "app/commands/endpoint_health.hpp"

#include "app/client/confirm.hpp"
#include "app/commands/client_command.hpp"
#include "app/json_text.hpp"

namespace postrider::app {

namespace {

std::string path_of(const std::string& id, const char* verb) {
  return fmt::format("/v1/endpoints/{}/{}", path_segment(id), verb);
}

int health(const get_options& options) {
  api_session api{options};
  print_object(options, api.get(path_of(options.id, "health")));
  return exit_done;
}

struct operate_options : get_options {
  std::string reason;
};

int operate(const operate_options& options, const char* verb,
            std::string_view done) {
  api_session api{options};
  if (std::string_view{verb} == "disable") {
    const auto now = api.get(path_of(options.id, "health"));
    const auto open = json_member(now, "open");
    const auto many = json_member(now, "open_at_least");
    confirm(options,
            fmt::format("disable {} and cancel what is open for it ({})",
                        options.id,
                        many.empty() ? open : fmt::format("{} or more", many)),
            1, {});
  }
  const auto body =
      options.reason.empty()
          ? std::string{"{}"}
          : fmt::format("{{\"reason\":{}}}", json_quote(options.reason));
  const auto answer = api.call("POST", path_of(options.id, verb), body);
  if (options.json)
    print_object(options, answer);
  else if (!options.quiet)
    fmt::print(stderr, "{} {}\n", done, options.id);
  return exit_done;
}

int pause(const operate_options& options) {
  return operate(options, "pause", "paused");
}

int resume(const operate_options& options) {
  return operate(options, "resume", "resumed");
}

int disable(const operate_options& options) {
  return operate(options, "disable", "disabled");
}

int enable(const operate_options& options) {
  return operate(options, "enable", "enabled");
}

} // namespace

void add_endpoint_health(CLI::App& endpoints, action& chosen) {
  auto [showing, show_given] = add_client_command<get_options>(
      endpoints, chosen, "health",
      "Its state, why and since when, and what waits",
      "  postrider endpoints health ep_…", health);
  add_id(*showing, show_given->id, "The endpoint");
  const auto add = [&](const char* verb, const char* description,
                       const char* examples,
                       int (*work)(const operate_options&)) {
    auto [command, given] = add_client_command<operate_options>(
        endpoints, chosen, verb, description, examples, work);
    add_id(*command, given->id, "The endpoint");
    command
        ->add_option("--reason", given->reason,
                     "Why, for whoever looks at it next")
        ->type_name("TEXT");
  };
  add("pause", "Hold all deliveries until it is resumed",
      "  postrider endpoints pause ep_… --reason 'maintenance until noon'",
      pause);
  add("resume", "Let a paused one go on; what was held goes out in order",
      "  postrider endpoints resume ep_…", resume);
  add("disable",
      "Send nothing any more: what is open and what comes is cancelled",
      "  postrider endpoints disable ep_… --reason 'contract ended'\n"
      "  postrider endpoints disable ep_… --yes",
      disable);
  add("enable", "Take an endpoint for healthy again, whatever it is now",
      "  postrider endpoints enable ep_…\n"
      "  postrider dead-letters retry --endpoint ep_… --reason "
      "endpoint_disabled",
      enable);
}

} // namespace postrider::app
