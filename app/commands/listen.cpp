#include "app/commands/arrival_text.hpp"
#include "app/commands/client_command.hpp"
#include "app/commands/registration.hpp"
#include "app/commands/signing_secret.hpp"
#include "app/forwarder.hpp"
#include "app/receiver.hpp"
#include "app/stop_signals.hpp"
#include "config/assign.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>

namespace postrider::app {

namespace {

struct listen_options : client_options {
  std::string address = "127.0.0.1:9000";
  std::string secret_file;
  std::string print = "none";
  std::string forward;
  receiver_rules rules;
  std::uint64_t count = 0;
  bool registered = false;
  std::string tenant;
  std::vector<std::string> types{"*"};
  std::string public_url;
};

config::listen_config place_of(const listen_options& options) {
  config::listen_config where;
  if (const auto bad =
          config::assign(config::listen_field{&where}, options.address))
    throw failure{exit_usage, bad->what};
  return where;
}

void check(const listen_options& options) {
  if (!options.registered)
    return;
  if (options.tenant.empty())
    throw failure{exit_usage, "--register needs --tenant: whose endpoint it "
                              "is"};
  if (!options.secret_file.empty())
    throw failure{exit_usage, "--register has the endpoint's own secret: "
                              "leave --secret-file out"};
}

/// Counts and shows what arrives, one at a time.
class display {
public:
  display(std::string print, std::uint64_t most)
      : print_{std::move(print)}, most_{most} {}

  void show(const arrival& here) {
    const std::lock_guard guard{mutex_};
    if (complete())
      return;
    const auto text = arrival_text(here, print_);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    if (here.signature == signature_check::bad)
      ++wrong_;
    ++seen_;
  }
  bool complete() const { return most_ != 0 && seen_ >= most_; }
  std::uint64_t seen() const { return seen_; }
  std::uint64_t wrong() const { return wrong_; }

private:
  std::string print_;
  std::uint64_t most_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> seen_{0};
  std::atomic<std::uint64_t> wrong_{0};
};

int listen(const listen_options& options) {
  using namespace std::chrono_literals;
  check(options);
  const auto where = place_of(options);
  auto rules = options.rules;
  if (!options.secret_file.empty())
    rules.key = read_signing_key("--secret-file", options.secret_file);
  stop_signals signals;
  display shown{options.json ? "json" : options.print, options.count};
  receiver here{where.address, where.port,
                [&shown](const arrival& one) { shown.show(one); }};
  std::optional<forwarder> onwards;
  if (!options.forward.empty())
    onwards.emplace(options.forward);
  here.start();
  {
    std::optional<registration> endpoint;
    if (options.registered) {
      endpoint.emplace(options, options.tenant,
                       options.public_url.empty() ? here.url("/")
                                                  : options.public_url,
                       options.types);
      rules.key = endpoint->key();
    }
    if (onwards)
      rules.forward = [&onwards](const net::server_request& request,
                                 std::function<void(int)> done) {
        onwards->pass_on(request, std::move(done));
      };
    here.serve("", rules);
    if (!options.quiet)
      fmt::print(stderr, "listening on {}, Ctrl-C ends\n", here.url("/"));
    while (!signals.wait_for(20ms))
      if (shown.complete())
        break;
  }
  if (onwards)
    onwards->stop();
  here.stop();
  if (!options.quiet)
    fmt::print(stderr, "{} arrived, {} badly signed\n", shown.seen(),
               shown.wrong());
  return shown.wrong() == 0 ? exit_done : exit_not_met;
}

void add_misbehaviour(CLI::App& verb, receiver_rules& into) {
  verb.add_option("--status", into.status, "What is answered")
      ->check(CLI::Range(200, 599))
      ->capture_default_str();
  verb.add_option("--fail-rate", into.fail_rate,
                  "The share answered with 503 instead, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  verb.add_option("--drop-rate", into.drop_rate,
                  "The share whose connection is closed unanswered, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  add_duration_option(verb, "--latency", into.latency,
                      "The wait before each answer");
}

} // namespace

void add_listen(CLI::App& root, action& chosen) {
  auto [verb, given] = add_client_command<listen_options>(
      root, chosen, "listen", "Receive webhooks and show them",
      "  postrider listen 127.0.0.1:9000 --secret-file endpoint.secret\n"
      "  postrider listen --fail-rate 0.2 --latency 50ms --print body\n"
      "  postrider listen --register --tenant acme --types order.*\n"
      "  postrider listen --forward http://127.0.0.1:3000/hooks",
      listen);
  verb->add_option("address", given->address, "Address and port")
      ->type_name("ADDR")
      ->capture_default_str();
  verb->add_option("--secret-file", given->secret_file,
                   "File with the endpoint's secret; signatures are checked, "
                   "and a wrong one makes the exit code 8")
      ->type_name("FILE");
  verb->add_option("--print", given->print, "What is shown of each")
      ->check(one_of({"headers", "body", "json", "none"}))
      ->type_name("WHAT")
      ->capture_default_str();
  verb->add_option("--forward", given->forward,
                   "Pass each on, and answer what comes back")
      ->type_name("URL");
  verb->add_option("--count", given->count, "End after this many")
      ->type_name("N");
  add_misbehaviour(*verb, given->rules);
  verb->add_flag("--register", given->registered,
                 "Be an endpoint of the node until the end");
  add_tenant_option(*verb, given->tenant)->description("Whose endpoint");
  verb->add_option("--types", given->types, "What it wants, with --register")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TYPE")
      ->capture_default_str();
  verb->add_option("--public-url", given->public_url,
                   "Where the node reaches it, with --register")
      ->type_name("URL");
}

} // namespace postrider::app
