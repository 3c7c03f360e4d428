#include "app/client/confirm.hpp"
#include "app/commands/client_command.hpp"

namespace postrider::app {

namespace {

std::string path_of(const std::string& id) {
  return "/v1/tenants/" + path_segment(id);
}

int list(const list_options& options) {
  return print_list(options, "/v1/tenants",
                    {{"ID", "id"},
                     {"NAME", "name"},
                     {"IN FLIGHT", "max_in_flight"},
                     {"RATE", "rate"},
                     {"CREATED", "created_at"}});
}

int get(const get_options& options) {
  api_session api{options};
  print_object(options, api.get(path_of(options.id)));
  return exit_done;
}

struct tenant_options : get_options {
  std::string name;
  std::string max_in_flight;
  std::string rate;
};

std::string body_of(const tenant_options& options) {
  api::json_writer out;
  out.begin_object();
  out.text_if("name", options.name);
  write_number_or_none(out, "max_in_flight", options.max_in_flight);
  write_number_or_none(out, "rate", options.rate);
  out.end_object();
  return out.take();
}

int create(const tenant_options& options) {
  api_session api{options};
  print_object(options, api.call("PUT", path_of(options.id), body_of(options)));
  return exit_done;
}

int update(const tenant_options& options) {
  const auto body = body_of(options);
  if (body == "{}")
    throw failure{exit_usage, "nothing to change was given\n"
                              "try: postrider tenants update --help"};
  api_session api{options};
  print_object(options, api.call("PATCH", path_of(options.id), body));
  return exit_done;
}

void add_members(CLI::App& verb, tenant_options& into) {
  verb.add_option("--name", into.name, "For people")->type_name("TEXT");
  verb.add_option("--max-in-flight", into.max_in_flight,
                  "Attempts at the same time on one node, or none")
      ->check(number_or_none())
      ->type_name("N");
  verb.add_option("--rate", into.rate, "Attempts a second on one node, or none")
      ->check(number_or_none())
      ->type_name("N");
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
  auto [making, make_given] = add_client_command<tenant_options>(
      *noun, chosen, "create", "Make a tenant, or set all of one anew",
      "  postrider tenants create acme --name 'Acme Inc.' --rate 100", create);
  add_id(*making, make_given->id, "Letters, digits, _ and -");
  add_members(*making, *make_given);
  auto [changing, change_given] = add_client_command<tenant_options>(
      *noun, chosen, "update", "Change what is given, leave the rest",
      "  postrider tenants update acme --max-in-flight 50\n"
      "  postrider tenants update acme --rate none",
      update);
  add_id(*changing, change_given->id, "The tenant");
  add_members(*changing, *change_given);
  auto [removing, remove_given] = add_client_command<get_options>(
      *noun, chosen, "delete",
      "Delete a tenant that has no endpoints left; its events stay on record",
      "  postrider tenants delete acme\n"
      "  postrider tenants delete acme --yes",
      remove);
  add_id(*removing, remove_given->id, "The tenant");
}

} // namespace postrider::app
