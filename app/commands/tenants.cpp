#include "app/client/confirm.hpp"
#include "app/commands/client_command.hpp"
#include "app/json_text.hpp"

namespace postrider::app {

namespace {

std::string path_of(const std::string& id) {
  return "/v1/tenants/" + path_segment(id);
}

int list(const list_options& options) {
  return print_list(
      options, "/v1/tenants",
      {{"ID", "id"}, {"NAME", "name"}, {"CREATED", "created_at"}});
}

int get(const get_options& options) {
  api_session api{options};
  print_object(options, api.get(path_of(options.id)));
  return exit_done;
}

struct create_options : get_options {
  std::string name;
};

int create(const create_options& options) {
  api_session api{options};
  const auto body =
      options.name.empty()
          ? std::string{"{}"}
          : fmt::format("{{\"name\":{}}}", json_quote(options.name));
  print_object(options, api.call("PUT", path_of(options.id), body));
  return exit_done;
}

int remove(const get_options& options) {
  api_session api{options};
  api.get(path_of(options.id)); // what is not there needs no question
  confirm(options, fmt::format("delete the tenant {}", options.id), 1, {});
  api.call("DELETE", path_of(options.id));
  if (!options.quiet)
    fmt::print(stderr, "deleted {}\n", options.id);
  return exit_done;
}

} // namespace

void add_tenants(CLI::App& root, action& chosen) {
  auto* noun = add_noun(root, "tenants", "The platform's customers");
  auto [listing, list_given] =
      add_client_command<list_options>(*noun, chosen, "list", "Tenants by id",
                                       "  postrider tenants list\n"
                                       "  postrider tenants list --all --plain",
                                       list);
  add_limit_options(*listing, *list_given);
  auto [getting, get_given] = add_client_command<get_options>(
      *noun, chosen, "get", "One tenant", "  postrider tenants get acme", get);
  add_id(*getting, get_given->id, "The tenant");
  auto [making, make_given] = add_client_command<create_options>(
      *noun, chosen, "create", "Make a tenant, or give it another name",
      "  postrider tenants create acme --name 'Acme Inc.'", create);
  add_id(*making, make_given->id, "Letters, digits, _ and -");
  making->add_option("--name", make_given->name, "For people")
      ->type_name("TEXT");
  auto [removing, remove_given] = add_client_command<get_options>(
      *noun, chosen, "delete",
      "Delete a tenant that has no endpoints left; its events stay on record",
      "  postrider tenants delete acme\n"
      "  postrider tenants delete acme --yes",
      remove);
  add_id(*removing, remove_given->id, "The tenant");
}

} // namespace postrider::app
