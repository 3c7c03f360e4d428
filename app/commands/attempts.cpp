#include "app/client/time_argument.hpp"
#include "app/commands/client_command.hpp"

namespace postrider::app {

namespace {

struct attempt_list : list_options {
  std::string delivery;
  std::string endpoint;
  std::string outcome;
  std::string since;
  std::string until;
};

int list(const attempt_list& options) {
  query_text query;
  query.add("endpoint", options.endpoint)
      .add("outcome", options.outcome)
      .add("since", time_argument("--since", options.since))
      .add("until", time_argument("--until", options.until));
  auto path = "/v1/attempts" + query.text();
  if (!options.delivery.empty())
    path = fmt::format("/v1/deliveries/{}/attempts",
                       path_segment(options.delivery));
  if (options.delivery.empty() || query.text().empty())
    return print_list(options, path,
                      {{"STARTED", "started_at"},
                       {"OUTCOME", "outcome"},
                       {"RESULT", "status_code|error"},
                       {"MS", "duration_ms"},
                       {"N", "number"},
                       {"REASON", "reason"},
                       {"ENDPOINT", "endpoint"},
                       {"DELIVERY", "delivery"},
                       {"ID", "id"}});
  throw failure{exit_usage,
                "--delivery shows all attempts of one delivery: leave the "
                "other filters out"};
}

int get(const get_options& options) {
  api_session api{options};
  print_object(options, api.get("/v1/attempts/" + path_segment(options.id)));
  return exit_done;
}

} // namespace

void add_attempts(CLI::App& root, action& chosen) {
  auto* noun = add_noun(root, "attempts", "Requests that were sent");
  auto [listing, list_given] = add_client_command<attempt_list>(
      *noun, chosen, "list", "Attempts, the latest first",
      "  postrider attempts list --outcome failed --since 15m\n"
      "  postrider attempts list --delivery dlv_…",
      list);
  listing->add_option("--delivery", list_given->delivery, "Of one delivery")
      ->type_name("ID");
  listing->add_option("--endpoint", list_given->endpoint, "Only to this one")
      ->type_name("ID");
  listing->add_option("--outcome", list_given->outcome, "Only with this one")
      ->check(one_of({"succeeded", "failed", "cancelled"}))
      ->type_name("OUTCOME");
  listing
      ->add_option("--since", list_given->since,
                   "Ended since a time, or so long ago")
      ->type_name("TIME");
  listing->add_option("--until", list_given->until, "Ended before")
      ->type_name("TIME");
  add_limit_options(*listing, *list_given);
  auto [getting, get_given] = add_client_command<get_options>(
      *noun, chosen, "get", "One attempt with the start of its response",
      "  postrider attempts get att_…\n"
      "  postrider attempts get att_… --json",
      get);
  add_id(*getting, get_given->id, "The attempt");
}

} // namespace postrider::app
