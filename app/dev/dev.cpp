#include "app/dev/dev.hpp"

#include "app/api_client.hpp"
#include "app/delivery_ledger.hpp"
#include "app/dev/demo_event.hpp"
#include "app/dev/demo_screen.hpp"
#include "app/dev/demo_setup.hpp"
#include "app/dev/demo_traffic.hpp"
#include "app/dev/hard_stop.hpp"
#include "app/embedded_postgres.hpp"
#include "app/exit_code.hpp"
#include "app/local_keys.hpp"
#include "app/node.hpp"
#include "app/receiver.hpp"
#include "app/stop_signals.hpp"
#include "app/work_folder.hpp"
#include "core/base64.hpp"
#include "core/signature.hpp"
#include "store/catalog.hpp"
#include "store/migrator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto loopback = "127.0.0.1";
/// The longest ladder of the demonstration is some seven seconds.
constexpr auto longest_wait = 60s;

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

/// Everything that runs, in the order in which it starts; it ends in reverse.
class demonstration {
public:
  explicit demonstration(const dev_options& options);

  int run();

private:
  config::config configure();
  void arrived(const arrival& here);
  void wait_until_ready();
  void introduce() const;
  void observe();
  bool wait_for_deliveries();
  bool nothing_open() const;
  screen_facts facts() const;

  dev_options options_;
  stop_signals signals_;
  work_folder folder_;
  embedded_postgres postgres_;
  config::config config_;
  std::string run_ = encode_hex(random_bytes(4));
  delivery_ledger ledger_;
  std::atomic<std::uint64_t> foreign_{0};
  receiver receiver_;
  node node_;
  clock::time_point started_;
  std::unique_ptr<demo_traffic> traffic_;
};

demonstration::demonstration(const dev_options& options)
    : options_{options},
      folder_{options.folder, "dev"},
      postgres_{folder_.path()},
      config_{configure()},
      receiver_{loopback, 0, [this](const arrival& here) { arrived(here); }},
      node_{config_, STDERR_FILENO} {}

config::config demonstration::configure() {
  config::config made;
  made.api.listen = {loopback, options_.port};
  made.admin = {loopback, 0};
  made.storage.url = postgres_.url();
  made.guard.allow = {"127.0.0.0/8"};
  made.log.level = options_.log_level;
  use_local_keys(folder_.path(), made);
  say("making the schema");
  store::migrator{made.storage.url}.up();
  return made;
}

void demonstration::arrived(const arrival& here) {
  const auto mark = read_demo_mark(run_, here.request->body);
  const bool succeeded = here.status >= 200 && here.status < 300;
  if (!mark.ours) {
    if (succeeded)
      ++foreign_;
    return;
  }
  std::string stream;
  for (const auto& endpoint : demo_endpoints())
    if (endpoint.path == here.path && endpoint.ordered)
      stream = fmt::format("{} {}", here.path, mark.ordering_key);
  ledger_.arrived({here.event, here.id, std::move(stream), here.sequence,
                   here.attempt, here.signature == signature_check::good,
                   succeeded, mark.age});
}

void demonstration::wait_until_ready() {
  const auto end = clock::now() + 60s;
  while (!node_.ready()) {
    if (node_.fatal() != 0 || clock::now() > end)
      throw std::runtime_error{"the node did not become ready"};
    if (signals_.wait_for(20ms))
      throw std::runtime_error{"interrupted while starting"};
  }
}

void demonstration::introduce() const {
  const auto key = (folder_.path() / "api.key").string();
  fmt::print("\n"
             "Postrider is running.\n"
             "  API        http://{0}:{1}   bearer key in {2}\n"
             "  health     http://{0}:{3}/readyz\n"
             "  receiver   {4}   endpoints",
             loopback, node_.api_port(), key, node_.admin_port(),
             receiver_.url("/"));
  for (const auto& endpoint : demo_endpoints())
    fmt::print(" {}", endpoint.path);
  fmt::print(
      " (one answers 503 now and then)\n"
      "\n"
      "Send an event of your own, by HTTP or in SQL:\n"
      "  curl -sS -H \"Authorization: Bearer $(cat {0})\" -H 'Content-Type: "
      "application/json' -d '{{\"tenant\":\"{1}\",\"type\":\"order.paid\","
      "\"payload\":{{\"order\":1}}}}' http://{2}:{3}/v1/events\n"
      "  psql '{4}' -c \"select * from postrider.publish('{1}', 'order.paid', "
      "'{{\\\"order\\\":2}}')\"\n"
      "\n"
      "Ctrl-C ends it.\n\n",
      key, demo_tenant, loopback, node_.api_port(), postgres_.url());
  std::fflush(stdout);
}

screen_facts demonstration::facts() const {
  screen_facts now{
      ledger_.totals(),
      std::chrono::duration_cast<std::chrono::seconds>(clock::now() - started_),
      foreign_,
      0,
      {}};
  if (traffic_) {
    now.resent = traffic_->resent();
    now.trouble = traffic_->trouble();
  }
  return now;
}

void demonstration::observe() {
  demo_screen screen;
  while (!options_.duration || clock::now() - started_ < *options_.duration) {
    if (signals_.wait_for(100ms) || node_.fatal() != 0)
      return;
    screen.show(facts());
  }
}

/// The receiver has everything, and so says the database.
bool demonstration::wait_for_deliveries() {
  const auto end = clock::now() + longest_wait;
  while (ledger_.totals().pending() != 0 || !nothing_open()) {
    if (clock::now() > end || node_.fatal() != 0)
      return false;
    std::this_thread::sleep_for(50ms);
  }
  return true;
}

bool demonstration::nothing_open() const {
  store::catalog catalog{config_.storage.url};
  for (const auto state : {delivery_state::queued, delivery_state::retrying}) {
    store::delivery_filter open;
    open.tenant = demo_tenant;
    open.state = state;
    if (!catalog.deliveries(open, {0, 1}).rows.empty())
      return false;
  }
  return true;
}

int demonstration::run() {
  receiver_.start();
  node_.start();
  wait_until_ready();
  api_client api{fmt::format("http://{}:{}", loopback, node_.api_port()),
                 config_.api.key};
  set_up_demo(config_.storage.url, api, receiver_);
  auto psql =
      start_psql((postgres_.programs() / "psql").string(), config_.storage.url);
  introduce();
  started_ = clock::now();
  if (options_.rate > 0)
    traffic_ = std::make_unique<demo_traffic>(
        traffic_options{options_.rate, run_}, api, psql, ledger_);
  observe();
  const hard_stop second_signal{postgres_.pid(), folder_};
  say("stopping: waiting until everything is delivered (Ctrl-C: at once)");
  bool complete = !traffic_ || traffic_->stop(20s);
  complete = wait_for_deliveries() && complete;
  const auto end = facts();
  traffic_.reset();
  const bool polite = node_.stop();
  receiver_.stop();
  postgres_.stop();
  fmt::print("{}", final_report(end, complete));
  if (!folder_.temporary())
    say(fmt::format("  kept in      {}", folder_.path().string()));
  if (node_.fatal() != 0)
    return node_.fatal();
  return complete && polite && end.totals.clean() ? exit_done : exit_not_met;
}

} // namespace

int run_dev(const dev_options& options) {
  say("starting a private PostgreSQL");
  demonstration here{options};
  return here.run();
}

} // namespace postrider::app
