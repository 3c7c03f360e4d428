#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "app/receiver.hpp"
#include "app/stop_signals.hpp"
#include "config/assign.hpp"
#include "config/secret.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <memory>

namespace postrider::app {

namespace {

struct listen_options {
  std::string address = "127.0.0.1:9000";
  std::string secret_file;
  std::string print = "none";
  receiver_rules rules;
  std::uint64_t count = 0;
};

std::string_view word_for(signature_check signature) {
  switch (signature) {
  case signature_check::good:
    return "signature ok";
  case signature_check::bad:
    return "SIGNATURE WRONG";
  case signature_check::unchecked:
    break;
  }
  return "signature not checked";
}

/// What a peer sent, made harmless for a terminal.
std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text)
    if ((c >= ' ' && c != 127) || c == '\n' || c == '\t' || c < 0)
      shown += c;
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
  return shown;
}

std::string describe(const arrival& here, const std::string& print) {
  auto text = printable(fmt::format(
      "{} {}  id {}  attempt {}  sequence {}  {} bytes  {}  -> {}",
      here.request->method, here.path, here.id.empty() ? "-" : here.id,
      here.attempt, here.sequence, here.request->body.size(),
      word_for(here.signature), here.status));
  text += '\n';
  if (print == "headers")
    for (const auto& one : here.request->headers)
      text += printable(fmt::format("  {}: {}", one.name, one.value)) + '\n';
  if (print == "body")
    text += printable(here.request->body) + '\n';
  return text;
}

std::optional<signing_key> read_key(const std::string& file) {
  const auto content =
      config::read_secret_file(file, config::process_environment());
  std::string line;
  if (!content.fault.empty())
    complain(fmt::format("--secret-file {}", content.fault));
  else if (!config::read_line(content.text, line))
    if (auto key = signing_key::parse(line))
      return key;
  if (content.fault.empty())
    complain(fmt::format("--secret-file: {} holds no signing secret (whsec_ "
                         "and base64)",
                         file));
  return std::nullopt;
}

int listen(listen_options options) {
  config::listen_config where;
  const auto bad =
      config::assign(config::listen_field{&where}, options.address);
  if (bad) {
    complain(bad->what);
    return exit_usage;
  }
  if (!options.secret_file.empty()
      && !(options.rules.key = read_key(options.secret_file)))
    return exit_usage;
  stop_signals signals;
  std::atomic<std::uint64_t> seen{0};
  std::atomic<std::uint64_t> wrong{0};
  receiver here{where.address, where.port, [&](const arrival& one) {
                  if (options.count != 0 && seen >= options.count)
                    return;
                  const auto text = describe(one, options.print);
                  std::fputs(text.c_str(), stdout);
                  std::fflush(stdout);
                  if (one.signature == signature_check::bad)
                    ++wrong;
                  ++seen;
                }};
  here.serve("", options.rules);
  here.start();
  fmt::print(stderr, "listening on {}, Ctrl-C ends\n", here.url("/"));
  using namespace std::chrono_literals;
  while (!signals.wait_for(20ms))
    if (options.count != 0 && seen >= options.count)
      break;
  here.stop();
  fmt::print(stderr, "{} arrived, {} badly signed\n", seen.load(),
             wrong.load());
  return wrong == 0 ? exit_done : exit_not_met;
}

} // namespace

void add_listen(CLI::App& root, action& chosen) {
  auto* command =
      root.add_subcommand("listen", "Receive webhooks and show them");
  auto options = std::make_shared<listen_options>();
  command->add_option("address", options->address, "Address and port")
      ->type_name("ADDR")
      ->capture_default_str();
  command
      ->add_option("--secret-file", options->secret_file,
                   "File with the endpoint's secret; signatures are checked")
      ->type_name("FILE");
  command->add_option("--status", options->rules.status, "What is answered")
      ->check(CLI::Range(200, 599))
      ->capture_default_str();
  command
      ->add_option("--fail-rate", options->rules.fail_rate,
                   "The share answered with 503 instead, 0 to 1")
      ->check(CLI::Range(0.0, 1.0));
  add_duration_option(*command, "--latency", options->rules.latency,
                      "The wait before each answer");
  command->add_option("--print", options->print, "headers, body or none")
      ->check(CLI::IsMember({"headers", "body", "none"}))
      ->capture_default_str();
  command->add_option("--count", options->count, "End after this many")
      ->type_name("N");
  command->footer(
      "One line for each arrival. Exit code 8 when a signature was wrong.\n\n"
      "EXAMPLES\n"
      "  postrider listen 127.0.0.1:9000 --secret-file endpoint.secret\n"
      "  postrider listen --fail-rate 0.2 --latency 50ms --print body");
  command->callback(
      [&chosen, options] { chosen = [options] { return listen(*options); }; });
}

} // namespace postrider::app
