#include "app/commands/client_command.hpp"
#include "app/commands/send_options.hpp"
#include "app/json_text.hpp"
#include "app/whole_input.hpp"
#include "core/base64.hpp"

namespace postrider::app {

std::string event_of(const send_options& options) {
  auto data = options.data;
  if (data == "-")
    data = whole_input("--data", "-");
  else if (data.starts_with("@"))
    data = whole_input("--data", data.substr(1));
  auto event =
      fmt::format("{{\"tenant\":{},\"type\":{}", json_quote(options.tenant),
                  json_quote(options.type));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      event += fmt::format(",\"{}\":{}", name, json_quote(value));
  };
  add("id", options.id);
  add("ordering_key", options.ordering_key);
  if (!options.content_type.empty()) {
    add("content_type", options.content_type);
    return event
           + fmt::format(",\"payload_base64\":\"{}\"}}", encode_base64(data));
  }
  if (const auto fault = json_fault(data); !fault.empty())
    throw failure{
        exit_usage,
        fmt::format("--data is not JSON ({}): mend it, or name what it is with "
                    "--content-type",
                    fault)};
  return event + fmt::format(",\"payload\":{}}}", data);
}

namespace {

int send_one(const send_options& options) {
  const auto event = event_of(options);
  api_session api{options};
  const auto answer = api.call("POST", "/v1/events", event);
  if (!options.wait) {
    print_object(options, answer);
    return exit_done;
  }
  return wait_for_deliveries(api, options, json_member(answer, "id"));
}

int send(const send_options& options) {
  if (!options.lines.empty())
    return send_lines(options);
  if (options.type.empty())
    throw failure{exit_usage, "what type is the event?\n"
                              "try: postrider send order.paid --tenant ID"};
  if (options.tenant.empty())
    throw failure{exit_usage, "--tenant is required: whose event it is"};
  return options.repeat > 1 ? send_repeatedly(options) : send_one(options);
}

} // namespace

void add_send(CLI::App& root, action& chosen) {
  auto [verb, given] = add_client_command<send_options>(
      root, chosen, "send", "Send one event or many",
      "  postrider send order.paid --tenant acme --data '{\"order\": 17}'\n"
      "  postrider send order.paid --tenant acme --data @order.json --id "
      "order-17\n"
      "  postrider send ping --tenant acme --wait\n"
      "  postrider send ping --tenant acme --repeat 1000 --rate 100\n"
      "  postrider send --ndjson events.ndjson --tenant acme",
      send);
  verb->add_option("type", given->type, "Such as order.paid")
      ->type_name("TYPE");
  add_tenant_option(*verb, given->tenant)->description("Whose event it is");
  verb->add_option("--data", given->data,
                   "The payload: JSON, @FILE, or - for standard input")
      ->type_name("DATA");
  verb->add_option("--content-type", given->content_type,
                   "Of a payload that is not JSON")
      ->type_name("TYPE");
  verb->add_option("--id", given->id,
                   "Your own id; sending it again changes nothing")
      ->type_name("ID");
  verb->add_option("--ordering-key", given->ordering_key,
                   "Events with the same key arrive in order")
      ->type_name("KEY");
  auto* lines =
      verb->add_option("--ndjson", given->lines,
                       "Events as the API takes them, a line each; - for "
                       "standard input. TYPE and --tenant fill in")
          ->type_name("FILE");
  verb->add_option("--skip", given->skip, "Leave out so many lines")
      ->needs(lines)
      ->type_name("N");
  auto* repeat =
      verb->add_option("--repeat", given->repeat, "Send it so often")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
          ->excludes(lines)
          ->type_name("N");
  verb->add_option("--rate", given->rate, "Of them, a second")
      ->check(CLI::Range(0.001, 1e6))
      ->needs(repeat)
      ->type_name("N");
  auto* wait =
      verb->add_flag("--wait", given->wait,
                     "Until its deliveries have ended; prints the attempts")
          ->excludes(lines);
  add_duration_option(*verb, "--wait-limit", given->wait_limit,
                      "Exit code 124 when it takes longer (60s)")
      ->needs(wait);
}

} // namespace postrider::app
