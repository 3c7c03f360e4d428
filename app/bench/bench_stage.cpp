#include "app/bench/bench_stage.hpp"

#include "app/bench/payload.hpp"
#include "app/bench/process_usage.hpp"
#include "app/bench/progress.hpp"
#include "app/local_keys.hpp"
#include "config/secret.hpp"
#include "core/signature.hpp"
#include "store/migrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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

const std::vector<std::string>& bench_stage::tenants() {
  static const std::vector<std::string> all{
      tenant,    "bench-1", "bench-2", "bench-3", "bench-4",
      "bench-5", "bench-6", "bench-7", "bench-8", "bench-9"};
  return all;
}

bench_stage::bench_stage(const stage_options& options)
    : options_{options}, folder_{options.folder, "bench"} {
  if (options_.groups.empty())
    options_.groups = {{.tenant = tenant, .count = options_.endpoints}};
  options_.endpoints = 0;
  for (const auto& one : options_.groups)
    options_.endpoints += one.count;
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
  receiver.fan_out = options_.fan_out;
  receiver_ = std::make_unique<receiver_handle>(
      receiver, (folder_.path() / "receiver.log").string());
  make_endpoints();
}

bench_stage::~bench_stage() {
  if (postgres_ && folder_.temporary()) {
    // A temporary cluster is thrown away: nothing need be written down.
    others_.clear();
    node_.reset();
    postgres_->stop_at_once();
    return;
  }
  for (const auto& one : others_)
    one->stop(); // so that their leases are free at once
  if (node_)
    node_->stop();
  receiver_.reset();
  try {
    database_->free_leases();
    remove_endpoints();
  } catch (const std::exception& fault) {
    say(fmt::format("the endpoints of the benchmark are still there: {}",
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
  if (!options_.among_foreign && database_->foreign(tenants()))
    throw refused_database{
        "this database holds events or endpoints of other tenants: use one of "
        "the benchmark's own, or say --among-foreign-data"};
  if (database_->in_use())
    throw refused_database{
        "a node is at work on this database, or one ended a moment ago without "
        "giving its leases back: stop it, or wait until they have expired"};
  if (database_->anything_open(tenants()))
    throw refused_database{
        "this database holds open deliveries of the benchmark's tenants, of an "
        "earlier run that did not end: use a new database"};
  first_delivery_ = database_->last_delivery();
}

void bench_stage::make_endpoints() {
  remove_endpoints();
  store::catalog catalog{url_};
  catalog.use_secret_key(secret_key_);
  progress bar{"endpoints", options_.endpoints};
  for (const auto& group : options_.groups) {
    catalog.put_tenant(group.tenant, "Benchmark");
    for (std::size_t i = 0; i < group.count; ++i) {
      make_endpoint(catalog, group);
      bar.show(targets_.size());
      if (i % 64 == 0)
        pause(0ms);
    }
  }
  all_ = database_->endpoints(tenants());
  std::size_t at = 0;
  for (const auto& group : options_.groups)
    for (std::size_t i = 0; i < group.count; ++i)
      (group.black_hole ? sick_ : answered_).push_back(all_.at(at++));
}

void bench_stage::make_endpoint(store::catalog& catalog,
                                const endpoint_group& group) {
  const auto number = targets_.size();
  const load_target to{group.tenant, group.type.empty()
                                         ? fmt::format("bench.order.{}", number)
                                         : group.type};
  const auto key = *signing_key::from_bytes(random_bytes(32));
  store::endpoint_fields fields;
  fields.url = group.black_hole ? receiver_->black_hole_url(number)
                                : receiver_->url(number);
  fields.types = {to.type};
  fields.ordering = "fifo";
  if (group.rate > 0)
    fields.rate = group.rate;
  if (!group.retry.empty())
    fields.retry = group.retry;
  catalog.create_endpoint(to.tenant, fmt::format("bench-{}", number), fields,
                          {key});
  receiver_->key(number, key.text());
  targets_.push_back(to);
}

load_targets bench_stage::targets(std::size_t first, std::size_t count) const {
  const auto from = targets_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto many = std::min(count, targets_.size() - first);
  return {from, from + static_cast<std::ptrdiff_t>(many)};
}

void bench_stage::remove_endpoints() {
  store::catalog catalog{url_};
  for (const auto& one : tenants()) {
    store::page where;
    do {
      const auto found = catalog.endpoints(one, where);
      for (const auto& row : found.rows)
        catalog.delete_endpoint(row.id);
      where.before = found.next;
    } while (where.before != 0);
  }
}

void bench_stage::start_node() {
  node_ = std::make_unique<node_handle>(options_.config_file, options_.settings,
                                        folder_.path());
  say(fmt::format("the node is process {}, the receiver {}", node_->pid(),
                  receiver_->pid()));
}

void bench_stage::stop(node_handle& one) {
  if (!one.stop())
    throw std::runtime_error{fmt::format(
        "the node did not end politely; its log ends:\n{}", one.last_words())};
}

void bench_stage::stop_node() {
  for (; !others_.empty(); others_.pop_back())
    stop(*others_.back());
  stop(*node_);
  node_.reset();
}

void bench_stage::wait_until_leased() {
  while (!database_->leased())
    pause(20ms);
}

void bench_stage::start_at_work(std::size_t nodes) {
  start_node();
  for (std::size_t i = 2; i <= nodes; ++i)
    others_.push_back(std::make_unique<node_handle>(
        options_.config_file, options_.settings, folder_.path(),
        fmt::format("node-{}.log", i)));
  settle();
  node_->go();
  for (const auto& one : others_)
    one->go();
  while (!database_->shared_by(static_cast<int>(nodes)))
    pause(20ms);
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
  for (const auto& one : others_)
    processes.push_back(
        {fmt::format("node {}", processes.size() + 1), one->pid(), false});
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
  for (const auto& one : others_)
    one->check();
}

} // namespace postrider::app
