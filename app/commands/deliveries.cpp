#include "app/api_client.hpp"
#include "app/client/problem_text.hpp"
#include "app/commands/client_command.hpp"

namespace postrider::app {

namespace {

struct delivery_list : list_options {
  std::string tenant;
  std::string endpoint;
  std::string event;
  std::string state;
};

int list(const delivery_list& options) {
  query_text query;
  query.add("tenant", options.tenant)
      .add("endpoint", options.endpoint)
      .add("event", options.event)
      .add("state", options.state);
  return print_list(options, "/v1/deliveries" + query.text(),
                    {{"ID", "id"},
                     {"STATE", "state"},
                     {"ATTEMPTS", "attempts"},
                     {"LAST", "last_status_code|last_error"},
                     {"REASON", "reason"},
                     {"DUE/ENDED", "due_at|ended_at"},
                     {"ENDPOINT", "endpoint"},
                     {"EVENT", "event"}});
}

int get(const get_options& options) {
  api_session api{options};
  print_object(options, api.get("/v1/deliveries/" + path_segment(options.id)));
  return exit_done;
}

struct retry_options : client_options {
  std::vector<std::string> ids;
};

int retry(const retry_options& options) {
  api_session api{options};
  std::size_t failed = 0;
  for (const auto& id : options.ids) {
    const auto answer = api.ask(
        "POST", fmt::format("/v1/deliveries/{}/retry", path_segment(id)));
    if (answer.status == 202) {
      if (options.json)
        fmt::print("{}\n", answer.body);
      else if (!options.quiet)
        fmt::print("{} will be tried again\n", id);
      continue;
    }
    const auto why = failure_of(answer.status, answer.body);
    if (options.ids.size() == 1)
      throw why;
    complain(fmt::format("{}: {}", id, why.what()));
    ++failed;
  }
  if (failed == 0)
    return exit_done;
  complain(fmt::format("{} of {} were refused", failed, options.ids.size()));
  return failed == options.ids.size() ? exit_refused : exit_partly;
}

} // namespace

void add_deliveries(CLI::App& root, action& chosen) {
  auto* noun = add_noun(root, "deliveries", "What is to be brought, and was");
  auto [listing, list_given] = add_client_command<delivery_list>(
      *noun, chosen, "list", "Deliveries, newest first",
      "  postrider deliveries list --state retrying\n"
      "  postrider deliveries list --endpoint ep_… --limit 500 --plain",
      list);
  add_tenant_option(*listing, list_given->tenant);
  listing->add_option("--endpoint", list_given->endpoint, "Only to this one")
      ->type_name("ID");
  listing->add_option("--event", list_given->event, "Only of this event")
      ->type_name("ID");
  listing->add_option("--state", list_given->state, "Only in this state")
      ->check(one_of(
          {"queued", "retrying", "held", "succeeded", "failed", "cancelled"}))
      ->type_name("STATE");
  add_limit_options(*listing, *list_given);
  auto [getting, get_given] = add_client_command<get_options>(
      *noun, chosen, "get", "One delivery",
      "  postrider deliveries get dlv_…\n"
      "  postrider attempts list --delivery dlv_…",
      get);
  add_id(*getting, get_given->id, "The delivery");
  auto [retrying, retry_given] = add_client_command<retry_options>(
      *noun, chosen, "retry",
      "Try failed or cancelled ones again, or waiting ones now",
      "  postrider deliveries retry dlv_…\n"
      "  postrider dead-letters retry --endpoint ep_…",
      retry);
  retrying->add_option("id", retry_given->ids, "The deliveries")
      ->required()
      ->type_name("ID");
}

} // namespace postrider::app
