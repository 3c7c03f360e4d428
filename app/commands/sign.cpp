#include "app/client/failure.hpp"
#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/commands/signing_secret.hpp"
#include "app/json_text.hpp"
#include "app/whole_input.hpp"
#include "core/header.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <memory>

namespace postrider::app {

namespace {

using std::chrono::seconds;

std::chrono::sys_seconds now() {
  return std::chrono::time_point_cast<seconds>(
      std::chrono::system_clock::now());
}

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end)
    return {};
  return value;
}

struct sign_options {
  std::string secret_file;
  std::string body = "-";
  std::string id;
  std::optional<std::int64_t> timestamp;
  bool json = false;
};

int sign(const sign_options& options) {
  const auto key = read_signing_key("--secret-file", options.secret_file);
  const auto body = whole_input("--body", options.body);
  const auto at = options.timestamp
                      ? std::chrono::sys_seconds{seconds{*options.timestamp}}
                      : now();
  const auto* form =
      options.json
          ? "{{\"webhook-id\":{},\"webhook-timestamp\":\"{}\","
            "\"webhook-signature\":\"{}\"}}\n"
          : "webhook-id: {}\nwebhook-timestamp: {}\nwebhook-signature: {}\n";
  fmt::print(fmt::runtime(form),
             options.json ? json_quote(options.id) : options.id,
             at.time_since_epoch().count(), key.sign(options.id, at, body));
  return exit_done;
}

struct verify_options {
  std::string secret_file;
  std::string headers;
  std::string body = "-";
  std::chrono::milliseconds tolerance{300'000};
};

/// The value of one header in a text of `Name: value` lines.
std::string header_in(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const auto colon = line.find(':');
    if (colon == line.npos || !same_header_name(line.substr(0, colon), name))
      continue;
    line.remove_prefix(colon + 1);
    const auto first = line.find_first_not_of(" \t");
    const auto last = line.find_last_not_of(" \t\r");
    if (first != line.npos)
      return std::string{line.substr(first, last - first + 1)};
  }
  throw failure{exit_not_met,
                fmt::format("does not verify: there is no header {}", name)};
}

int verify(const verify_options& options) {
  const auto key = read_signing_key("--secret-file", options.secret_file);
  const auto headers = whole_input("--headers", options.headers);
  const auto body = whole_input("--body", options.body);
  const auto id = header_in(headers, "webhook-id");
  const auto timestamp = header_in(headers, "webhook-timestamp");
  const auto signature = header_in(headers, "webhook-signature");
  const auto at = number_of(timestamp);
  if (!at)
    throw failure{exit_not_met, "does not verify: webhook-timestamp is not in "
                                "seconds since 1970"};
  // As of its own time, so that a late one is told from a wrong one.
  if (!verify_signature(key, id, timestamp, signature, body,
                        std::chrono::sys_seconds{seconds{*at}}, seconds{1}))
    throw failure{exit_not_met,
                  "does not verify: no signature fits; another secret, or the "
                  "body was changed on its way"};
  if (!verify_signature(key, id, timestamp, signature, body, now(),
                        std::chrono::duration_cast<seconds>(options.tolerance)))
    throw failure{exit_not_met,
                  fmt::format("does not verify: signed {} s from now, "
                              "allowed are {} s\ntry: --tolerance DURATION",
                              now().time_since_epoch().count() - *at,
                              options.tolerance.count() / 1'000)};
  fmt::print("verified {}\n", id);
  return exit_done;
}

} // namespace

void add_sign(CLI::App& root, action& chosen) {
  auto* verb = root.add_subcommand(
      "sign", "Sign a body as Standard Webhooks; prints the headers");
  auto options = std::make_shared<sign_options>();
  verb->add_option("--secret-file", options->secret_file,
                   "File with the endpoint's secret")
      ->required()
      ->type_name("FILE");
  verb->add_option("--id", options->id, "The webhook-id")
      ->required()
      ->type_name("ID");
  verb->add_option("--body", options->body, "File; - for standard input")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_option("--timestamp", options->timestamp,
                   "Seconds since 1970 (now)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{253'402'300'799}))
      ->type_name("SECONDS");
  verb->add_flag("--json", options->json, "As one JSON document");
  verb->footer("EXAMPLES\n"
               "  postrider sign --secret-file endpoint.secret --id msg_1 "
               "--body order.json");
  verb->callback(
      [&chosen, options] { chosen = [options] { return sign(*options); }; });
}

void add_verify(CLI::App& root, action& chosen) {
  auto* verb = root.add_subcommand(
      "verify", "Check the signature of a webhook that was received");
  auto options = std::make_shared<verify_options>();
  verb->add_option("--secret-file", options->secret_file,
                   "File with the endpoint's secret")
      ->required()
      ->type_name("FILE");
  verb->add_option("--headers", options->headers,
                   "File of the request's headers, a line each")
      ->required()
      ->type_name("FILE");
  verb->add_option("--body", options->body, "File; - for standard input")
      ->type_name("FILE")
      ->capture_default_str();
  add_duration_option(*verb, "--tolerance", options->tolerance,
                      "How far its time may be from now (5m)");
  verb->footer("Exit code 8 when it does not verify.\n\n"
               "EXAMPLES\n"
               "  postrider verify --secret-file endpoint.secret --headers "
               "headers.txt --body body.json\n"
               "  postrider verify --secret-file s --headers h --tolerance "
               "30d < body.json");
  verb->callback(
      [&chosen, options] { chosen = [options] { return verify(*options); }; });
}

} // namespace postrider::app
