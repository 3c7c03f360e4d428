#include "app/commands/endpoint_changes.hpp"

#include "app/commands/client_command.hpp"
#include "config/secret.hpp"

#include <optional>

namespace postrider::app {

namespace {

/// The members of an endpoint, as far as they were given.
struct endpoint_options : client_options {
  std::string id;
  std::string tenant;
  std::string uid;
  std::string target;
  std::vector<std::string> types;
  std::optional<std::string> description;
  std::string ordering;
  std::string ordering_key;
  std::string retry;
  std::vector<std::string> headers;
  std::optional<int> max_in_flight;
  std::string rate;
  std::string retry_statuses;
  std::string health_policy;
  std::chrono::milliseconds request_timeout{0};
  std::chrono::milliseconds connect_timeout{0};
  std::string secret_file;
};

void write_headers(api::json_writer& out,
                   const std::vector<std::string>& headers) {
  if (headers.empty())
    return;
  out.key("headers").begin_object();
  for (const auto& one : headers) {
    const auto colon = one.find(':');
    if (colon == std::string::npos)
      throw failure{exit_usage,
                    fmt::format("--header: \"{}\" is no header: write "
                                "\"Name: value\"",
                                one)};
    out.key(one.substr(0, colon));
    const auto value = one.find_first_not_of(" \t", colon + 1);
    if (value == std::string::npos)
      out.null();
    else
      out.string(one.substr(value));
  }
  out.end_object();
}

std::string read_secret(const std::string& file) {
  const auto content =
      config::read_secret_file(file, config::process_environment());
  std::string secret;
  if (!content.fault.empty())
    throw failure{exit_usage, fmt::format("--secret-file {}", content.fault)};
  if (const auto wrong = config::read_line(content.text, secret))
    throw failure{exit_usage,
                  fmt::format("--secret-file: {} {}", file, *wrong)};
  return secret;
}

std::string body_of(const endpoint_options& options) {
  api::json_writer out;
  out.begin_object();
  out.text_if("tenant", options.tenant);
  out.text_if("uid", options.uid);
  out.text_if("url", options.target);
  if (!options.types.empty()) {
    out.key("types").begin_array();
    for (const auto& one : options.types)
      out.string(one);
    out.end_array();
  }
  if (options.description)
    out.key("description").string(*options.description);
  out.text_if("ordering", options.ordering);
  out.text_if("ordering_key", options.ordering_key);
  out.text_if("retry", options.retry);
  write_headers(out, options.headers);
  if (options.max_in_flight)
    out.key("max_in_flight").number(*options.max_in_flight);
  write_number_or_none(out, "rate", options.rate);
  if (options.retry_statuses == "none")
    out.key("retry_statuses").null();
  else
    out.text_if("retry_statuses", options.retry_statuses);
  out.text_if("health_policy", options.health_policy);
  if (options.request_timeout.count() > 0)
    out.key("timeout_seconds").seconds(options.request_timeout.count());
  if (options.connect_timeout.count() > 0)
    out.key("connect_timeout_seconds").seconds(options.connect_timeout.count());
  if (!options.secret_file.empty())
    out.key("secret").string(read_secret(options.secret_file));
  out.end_object();
  return out.take();
}

int create(const endpoint_options& options) {
  api_session api{options};
  print_object(options, api.call("POST", "/v1/endpoints", body_of(options)));
  if (options.secret_file.empty() && !options.quiet)
    fmt::print(stderr, "the secret is shown this one time: give it to the "
                       "receiver\n");
  return exit_done;
}

int update(const endpoint_options& options) {
  const auto body = body_of(options);
  if (body == "{}")
    throw failure{exit_usage, "nothing to change was given\n"
                              "try: postrider endpoints update --help"};
  api_session api{options};
  print_object(
      options,
      api.call("PATCH", "/v1/endpoints/" + path_segment(options.id), body));
  return exit_done;
}

void add_members(CLI::App& verb, endpoint_options& into) {
  verb.add_option("--types", into.types,
                  "Event types, such as order.paid, order.* or *")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TYPE");
  verb.add_option("--description", into.description, "For people")
      ->type_name("TEXT");
  verb.add_option("--ordering", into.ordering, "Of first attempts")
      ->check(one_of({"fifo", "none"}))
      ->type_name("HOW");
  verb.add_option("--ordering-key", into.ordering_key, "What makes a stream")
      ->check(one_of({"endpoint", "event"}))
      ->type_name("WHAT");
  verb.add_option("--retry", into.retry,
                  "A policy's name, or waits such as \"5s 1m 1h attempts=5 "
                  "jitter=20%\"")
      ->type_name("POLICY");
  verb.add_option("--header", into.headers,
                  "To send along, \"Name: value\"; without a value it goes")
      ->allow_extra_args(false)
      ->type_name("HEADER");
  verb.add_option("--max-in-flight", into.max_in_flight,
                  "Requests at the same time")
      ->type_name("N");
  verb.add_option("--rate", into.rate, "Requests a second, or none")
      ->check(number_or_none())
      ->type_name("N");
  verb.add_option("--retry-statuses", into.retry_statuses,
                  "To try again, such as 408,429,500-599,!501, or none")
      ->type_name("STATUSES");
  verb.add_option("--health-policy", into.health_policy,
                  "By which it is judged, such as default or shop")
      ->type_name("POLICY");
  add_duration_option(verb, "--request-timeout", into.request_timeout,
                      "For a whole request");
  add_duration_option(verb, "--connect-timeout", into.connect_timeout,
                      "For the connection");
}

} // namespace

void add_endpoint_changes(CLI::App& endpoints, action& chosen) {
  auto [making, make_given] = add_client_command<endpoint_options>(
      endpoints, chosen, "create", "Make an endpoint; prints its secret once",
      "  postrider endpoints create https://example.com/hooks --tenant acme "
      "\\\n"
      "    --types order.paid,order.cancelled",
      create);
  making->add_option("target", make_given->target, "Where to deliver")
      ->required()
      ->type_name("URL");
  add_tenant_option(*making, make_given->tenant)
      ->description("Whose it is")
      ->required();
  making->add_option("--uid", make_given->uid, "Your own id for it")
      ->type_name("ID");
  add_members(*making, *make_given);
  making
      ->add_option("--secret-file", make_given->secret_file,
                   "A signing secret of yours instead of a new one")
      ->type_name("FILE");
  auto [changing, change_given] = add_client_command<endpoint_options>(
      endpoints, chosen, "update", "Change what is given, leave the rest",
      "  postrider endpoints update ep_… --max-in-flight 8 --retry shop\n"
      "  postrider endpoints update ep_… --target https://example.com/new",
      update);
  add_id(*changing, change_given->id, "The endpoint");
  changing->add_option("--target", change_given->target, "Where to deliver")
      ->type_name("URL");
  add_members(*changing, *change_given);
}

} // namespace postrider::app
