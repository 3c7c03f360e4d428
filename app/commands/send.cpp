#include "app/api_client.hpp"
#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "app/json_text.hpp"
#include "config/secret.hpp"
#include "core/base64.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace postrider::app {

namespace {

struct send_options {
  std::string type;
  std::string tenant;
  std::string data = "{}";
  std::string content_type;
  std::string id;
  std::string ordering_key;
  std::string url = "http://127.0.0.1:8080";
  std::string token_file;
};

/// The wrong use of an option.
class usage_fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

std::string read_data(const std::string& given) {
  if (given == "-")
    return {std::istreambuf_iterator<char>{std::cin}, {}};
  if (!given.starts_with("@"))
    return given;
  std::ifstream file{given.substr(1), std::ios::binary};
  if (!file)
    throw usage_fault{fmt::format("--data: can't read {}", given.substr(1))};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string event_of(const send_options& options) {
  const auto data = read_data(options.data);
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
    throw usage_fault{
        fmt::format("--data is not JSON ({}): mend it, or name what it is with "
                    "--content-type",
                    fault)};
  return event + fmt::format(",\"payload\":{}}}", data);
}

std::string read_token(const std::string& file) {
  if (file.empty())
    return {};
  const auto content =
      config::read_secret_file(file, config::process_environment());
  std::string token;
  if (!content.fault.empty())
    throw usage_fault{fmt::format("--token-file {}", content.fault)};
  if (const auto wrong = config::read_line(content.text, token))
    throw usage_fault{fmt::format("--token-file: {} {}", file, *wrong)};
  return token;
}

int code_of(int status) {
  if (status >= 200 && status < 300)
    return exit_done;
  if (status == 404)
    return exit_not_found;
  return status >= 400 && status < 500 && status != 429 ? exit_refused
                                                        : exit_failed;
}

int send(const send_options& options) {
  try {
    const auto event = event_of(options);
    api_client api{options.url, read_token(options.token_file)};
    const auto answer = api.post("/v1/events", event);
    if (answer.status == 0) {
      complain(fmt::format("{} does not answer ({}): is it running? try: "
                           "postrider send --url URL",
                           options.url, answer.fault));
      return exit_unreachable;
    }
    const int code = code_of(answer.status);
    fmt::print(code == exit_done ? stdout : stderr, "{}\n", answer.body);
    if (answer.status == 401 || answer.status == 403)
      complain("the server wants another key: name its file with "
               "--token-file or POSTRIDER_TOKEN_FILE");
    return code;
  } catch (const usage_fault& fault) {
    complain(fault.what());
    return exit_usage;
  }
}

} // namespace

void add_send(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("send", "Send one event");
  auto options = std::make_shared<send_options>();
  command->add_option("type", options->type, "Such as order.paid")
      ->required()
      ->type_name("TYPE");
  command->add_option("--tenant", options->tenant, "Whose event it is")
      ->required()
      ->type_name("ID");
  command
      ->add_option("--data", options->data,
                   "The payload: JSON, @FILE, or - for standard input")
      ->type_name("DATA");
  command
      ->add_option("--content-type", options->content_type,
                   "Of a payload that is not JSON")
      ->type_name("TYPE");
  command
      ->add_option("--id", options->id,
                   "Your own id; sending it again changes nothing")
      ->type_name("ID");
  command
      ->add_option("--ordering-key", options->ordering_key,
                   "Events with the same key arrive in order")
      ->type_name("KEY");
  command->add_option("--url", options->url, "The server's API")
      ->envname("POSTRIDER_URL")
      ->type_name("URL")
      ->capture_default_str();
  command
      ->add_option("--token-file", options->token_file,
                   "File that holds the bearer key")
      ->envname("POSTRIDER_TOKEN_FILE")
      ->type_name("FILE");
  command->footer(
      "Prints the server's answer. Exit code 4 when it does not answer, 6 "
      "when\n"
      "it refuses the event.\n\n"
      "EXAMPLES\n"
      "  postrider send order.paid --tenant acme --data '{\"order\": 17}'\n"
      "  postrider send order.paid --tenant acme --data @order.json --id "
      "order-17\n"
      "  echo '{}' | postrider send ping --tenant acme --data -");
  command->callback(
      [&chosen, options] { chosen = [options] { return send(*options); }; });
}

} // namespace postrider::app
