#include "app/client/confirm.hpp"
#include "app/commands/client_command.hpp"
#include "app/commands/endpoint_changes.hpp"
#include "app/commands/endpoint_health.hpp"

namespace postrider::app {

namespace {

std::string path_of(const std::string& id) {
  return "/v1/endpoints/" + path_segment(id);
}

struct endpoint_list : list_options {
  std::string tenant;
  std::string health;
};

int list(const endpoint_list& options) {
  query_text query;
  query.add("tenant", options.tenant).add("health", options.health);
  return print_list(options, "/v1/endpoints" + query.text(),
                    {{"ID", "id"},
                     {"TENANT", "tenant"},
                     {"URL", "url"},
                     {"TYPES", "types"},
                     {"HEALTH", "health.state"},
                     {"PAUSED", "health.paused"},
                     {"ORDERING", "ordering"},
                     {"RETRY", "retry"},
                     {"IN FLIGHT", "max_in_flight"}});
}

int get(const get_options& options) {
  api_session api{options};
  print_object(options, api.get(path_of(options.id)));
  return exit_done;
}

struct delete_options : client_options {
  std::vector<std::string> ids;
  std::optional<std::int64_t> expected;
};

int remove(const delete_options& options) {
  api_session api{options};
  for (const auto& id : options.ids)
    api.get(path_of(id)); // nothing is done when one of them is not there
  const auto count = std::ssize(options.ids);
  confirm(options,
          fmt::format("delete {} endpoint{} and cancel what waits for {}",
                      count, count == 1 ? "" : "s", count == 1 ? "it" : "them"),
          count, options.expected);
  for (const auto& id : options.ids) {
    api.call("DELETE", path_of(id));
    if (!options.quiet)
      fmt::print(stderr, "deleted {}\n", id);
  }
  return exit_done;
}

} // namespace

void add_endpoints(CLI::App& root, action& chosen) {
  auto* noun = add_noun(root, "endpoints", "Where events are delivered");
  auto [listing, list_given] = add_client_command<endpoint_list>(
      *noun, chosen, "list", "Endpoints, newest first",
      "  postrider endpoints list --tenant acme\n"
      "  postrider endpoints list --health suspended\n"
      "  postrider endpoints list --all --plain | cut -f1",
      list);
  add_tenant_option(*listing, list_given->tenant);
  listing
      ->add_option("--health", list_given->health,
                   "Only in this state, or paused in any")
      ->check(
          one_of({"healthy", "degraded", "suspended", "disabled", "paused"}))
      ->type_name("STATE");
  add_limit_options(*listing, *list_given);
  auto [getting, get_given] =
      add_client_command<get_options>(*noun, chosen, "get", "One endpoint",
                                      "  postrider endpoints get ep_…", get);
  add_id(*getting, get_given->id, "The endpoint");
  add_endpoint_changes(*noun, chosen);
  add_endpoint_health(*noun, chosen);
  auto [removing, remove_given] = add_client_command<delete_options>(
      *noun, chosen, "delete", "Delete endpoints; what waits is cancelled",
      "  postrider endpoints delete ep_…\n"
      "  postrider endpoints delete ep_… ep_… --yes --expect 2",
      remove);
  removing->add_option("id", remove_given->ids, "The endpoints")
      ->required()
      ->type_name("ID");
  removing
      ->add_option("--expect", remove_given->expected,
                   "Refuse unless there are so many")
      ->type_name("N");
}

} // namespace postrider::app
