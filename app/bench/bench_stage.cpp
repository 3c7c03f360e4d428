#include "app/bench/bench_stage.hpp"

#include "app/bench/payload.hpp"
#include "app/bench/process_usage.hpp"
#include "app/bench/progress.hpp"
#include "app/local_keys.hpp"
#include "config/secret.hpp"
#include "core/signature.hpp"
#include "store/catalog.hpp"
#include "store/migrator.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

void say(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
}

std::string read_url(const std::string& file) {
  const auto content =
      config::read_secret_file(file, config::process_environment());
  std::string url;
  if (!content.fault.empty())
    throw refused_database{
        fmt::format("--database-url-file {}", content.fault)};
  if (const auto wrong = config::read_line(content.text, url))
    throw refused_database{
        fmt::format("--database-url-file {} {}", file, *wrong)};
  return url;
}

} // namespace

std::string bench_stage::type_for(std::size_t endpoint) {
  return fmt::format("bench.order.{}", endpoint);
}

bench_stage::bench_stage(const stage_options& options)
    : options_{options}, folder_{options.folder, "bench"} {
  open_database();
  config::config keys;
  use_local_keys(folder_.path(), keys);
  api_key_ = keys.api.key;
  secret_key_ = keys.storage.secret_key;
  std::ofstream{folder_.path() / "database-url"} << url_ << '\n';
  bench_receiver_options receiver;
  receiver.endpoints = options_.endpoints;
  receiver.verify_every = options_.verify_every;
  receiver.fault = options_.fault;
  receiver.seed = options_.seed;
  receiver_ = std::make_unique<receiver_handle>(
      receiver, (folder_.path() / "receiver.log").string());
  make_endpoints();
}

bench_stage::~bench_stage() {
  if (postgres_ && folder_.temporary()) {
    // A temporary cluster is thrown away: nothing need be written down.
    node_.reset();
    postgres_->stop_at_once();
    return;
  }
  if (node_)
    node_->stop(); // so that its leases are free at once
  receiver_.reset();
  try {
    database_->free_leases();
    remove_endpoints();
  } catch (const std::exception& fault) {
    say(fmt::format("the endpoints of tenant {} are still there: {}", tenant,
                    fault.what()));
  }
}

void bench_stage::open_database() {
  if (options_.database_url_file.empty()) {
    say("starting a private PostgreSQL");
    postgres_ = std::make_unique<embedded_postgres>(folder_.path());
    url_ = postgres_->url();
  } else {
    std::filesystem::create_directories(folder_.path());
    url_ = read_url(options_.database_url_file);
  }
  pause(0ms);
  store::migrator{url_}.up();
  database_ = std::make_unique<store::workbench>(url_);
  if (!options_.among_foreign && database_->foreign(tenant))
    throw refused_database{
        "this database holds events or endpoints of other tenants: use one of "
        "the benchmark's own, or say --among-foreign-data"};
  if (database_->in_use())
    throw refused_database{
        "a node is at work on this database, or one ended a moment ago without "
        "giving its leases back: stop it, or wait until they have expired"};
  if (database_->anything_open(tenant))
    throw refused_database{fmt::format(
        "this database holds open deliveries of tenant {}, of an earlier run "
        "that did not end: use a new database",
        tenant)};
  first_delivery_ = database_->last_delivery();
}

void bench_stage::make_endpoints() {
  remove_endpoints();
  store::catalog catalog{url_};
  catalog.use_secret_key(secret_key_);
  catalog.put_tenant(tenant, "Benchmark");
  progress bar{"endpoints", options_.endpoints};
  for (std::size_t i = 0; i < options_.endpoints; ++i) {
    const auto key = *signing_key::from_bytes(random_bytes(32));
    store::endpoint_fields fields;
    fields.url = receiver_->url(i);
    fields.types = {type_for(i)};
    fields.ordering = "fifo";
    catalog.create_endpoint(tenant, fmt::format("bench-{}", i), fields, {key});
    receiver_->key(i, key.text());
    bar.show(i + 1);
    if (i % 64 == 0)
      pause(0ms);
  }
}

void bench_stage::remove_endpoints() {
  store::catalog catalog{url_};
  store::page where;
  do {
    const auto found = catalog.endpoints(tenant, where);
    for (const auto& one : found.rows)
      catalog.delete_endpoint(one.id);
    where.before = found.next;
  } while (where.before != 0);
}

void bench_stage::start_node() {
  node_ = std::make_unique<node_handle>(options_.config_file, options_.settings,
                                        folder_.path());
  say(fmt::format("the node is process {}, the receiver {}", node_->pid(),
                  receiver_->pid()));
}

void bench_stage::settle() {
  if (!database_->settle())
    say("this database account may not write a checkpoint: one may fall into "
        "the measured time");
}

meter bench_stage::start_meter() {
  std::vector<metered> processes;
  if (node_)
    processes.push_back({"node", node_->pid(), false});
  const auto server =
      postgres_ ? postgres_->pid() : parent_of_same_name(database_->backend());
  if (server != 0)
    processes.push_back({"postgresql", server, true});
  processes.push_back({"receiver", receiver_->pid(), false});
  processes.push_back({"load", ::getpid(), false});
  return meter{std::move(processes), *database_};
}

void bench_stage::pause(std::chrono::milliseconds time) {
  if (signals_.wait_for(time))
    throw interrupted{};
  if (node_)
    node_->check();
}

} // namespace postrider::app
