#include "app/client/time_argument.hpp"
#include "app/commands/client_command.hpp"

#include <cstdio>

namespace postrider::app {

namespace {

struct event_list : list_options {
  std::string tenant;
  std::string type;
  std::string since;
  std::string until;
};

int list(const event_list& options) {
  query_text query;
  query.add("tenant", options.tenant)
      .add("type", options.type)
      .add("since", time_argument("--since", options.since))
      .add("until", time_argument("--until", options.until));
  return print_list(options, "/v1/events" + query.text(),
                    {{"ACCEPTED", "accepted_at"},
                     {"TYPE", "type"},
                     {"TENANT", "tenant"},
                     {"DELIVERIES", "deliveries"},
                     {"SIZE", "size"},
                     {"KEY", "key"},
                     {"ID", "id"}});
}

struct one_event : get_options {
  std::string tenant;
};

std::string path_of(const one_event& options, const char* part) {
  query_text query;
  // An id of ours needs no tenant, and one from the environment may be wrong.
  if (!options.id.starts_with("evt_"))
    query.add("tenant", options.tenant);
  return fmt::format("/v1/events/{}{}{}", path_segment(options.id), part,
                     query.text());
}

int get(const one_event& options) {
  api_session api{options};
  print_object(options, api.get(path_of(options, "")));
  return exit_done;
}

int payload(const one_event& options) {
  api_session api{options};
  const auto bytes = api.get(path_of(options, "/payload"));
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()
      && std::fflush(stdout) == 0;
  if (!written)
    throw failure{exit_failed, "the payload could not be written out"};
  return exit_done;
}

} // namespace

void add_events(CLI::App& root, action& chosen) {
  auto* noun = add_noun(root, "events", "What happened");
  auto [listing, list_given] = add_client_command<event_list>(
      *noun, chosen, "list", "Events, newest first",
      "  postrider events list --tenant acme --type order.paid\n"
      "  postrider events list --since 1h --limit 1000 --plain",
      list);
  add_tenant_option(*listing, list_given->tenant);
  listing->add_option("--type", list_given->type, "Only of this type")
      ->type_name("TYPE");
  listing
      ->add_option("--since", list_given->since,
                   "Accepted since a time, or so long ago")
      ->type_name("TIME");
  listing->add_option("--until", list_given->until, "Accepted before")
      ->type_name("TIME");
  add_limit_options(*listing, *list_given);
  const auto add_one = [&](const char* name, const char* description,
                           const char* examples,
                           int (*work)(const one_event&)) {
    auto [verb, given] = add_client_command<one_event>(
        *noun, chosen, name, description, examples, work);
    add_id(*verb, given->id, "evt_…, or your own id with --tenant");
    add_tenant_option(*verb, given->tenant);
  };
  add_one("get", "One event without its payload",
          "  postrider events get evt_…\n"
          "  postrider events get order-17-paid --tenant acme",
          get);
  add_one("payload", "The payload, byte for byte as it came",
          "  postrider events payload evt_… > order.json", payload);
}

} // namespace postrider::app
