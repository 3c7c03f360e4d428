#pragma once

#include "app/bench/bench_report.hpp"
#include "app/bench/load_tally.hpp"
#include "app/bench/load_target.hpp"
#include "app/bench/meter.hpp"
#include "app/bench/node_handle.hpp"
#include "app/bench/receiver_handle.hpp"
#include "app/embedded_postgres.hpp"
#include "app/stop_signals.hpp"
#include "app/work_folder.hpp"
#include "store/catalog.hpp"
#include "store/workbench.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace postrider::app {

/// Endpoints that are alike.
struct endpoint_group {
  std::string tenant = "bench"; ///< one of `bench_stage::tenants`
  std::size_t count = 1;
  bool black_hole = false; ///< their receiver never answers
  double rate = 0;         ///< attempts a second; 0: any
  std::string type = {};   ///< that all of them want; empty: each its own
  std::string retry = {};  ///< policy; empty: the usual one
};

struct stage_options {
  /// Holds the URL of the database to work on; empty: one of its own.
  std::string database_url_file;
  bool among_foreign = false;
  std::string folder;                ///< empty: a temporary one
  std::string config_file;           ///< of the node
  std::vector<std::string> settings; ///< of the node: `section.key=value`
  std::size_t endpoints = 256;
  /// Instead of so many that are all alike.
  std::vector<endpoint_group> groups;
  std::size_t payload = 1024; ///< bytes
  std::uint64_t verify_every = 16;
  arrival_fault fault = arrival_fault::none;
  std::uint64_t seed = 1;
  bool fan_out = false; ///< each event goes to every endpoint
};

/// The work was ended by Ctrl-C or SIGTERM.
struct interrupted : std::runtime_error {
  interrupted() : std::runtime_error{"interrupted"} {}
};

/// The database can't be worked on as it is.
struct refused_database : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What every benchmark stands on: a database, a receiver, endpoints that lead
/// to it, a node that waits. Everything that it made is gone with it, but for
/// the events in a database that was given. Use it on the main thread only.
class bench_stage {
public:
  static constexpr const char* tenant = "bench";
  /// The ones that a benchmark may use: `bench`, `bench-1` to `bench-9`.
  static const std::vector<std::string>& tenants();

  /// Throws what went wrong, `interrupted` too.
  explicit bench_stage(const stage_options& options);
  ~bench_stage();
  bench_stage(const bench_stage&) = delete;
  bench_stage& operator=(const bench_stage&) = delete;

  const stage_options& options() const noexcept { return options_; }
  const std::string& database_url() const noexcept { return url_; }
  const std::string& api_key() const noexcept { return api_key_; }
  /// That the endpoints' secrets are sealed with.
  const std::string& secret_key() const noexcept { return secret_key_; }
  store::workbench& database() noexcept { return *database_; }
  /// The ways to `count` endpoints from this number on; to all by default.
  load_targets targets(std::size_t first = 0,
                       std::size_t count = SIZE_MAX) const;
  /// All endpoints, as rows of the database name them.
  const std::vector<std::int64_t>& endpoint_ids() const noexcept {
    return all_;
  }
  /// Those whose receiver never answers.
  const std::vector<std::int64_t>& sick_ids() const noexcept { return sick_; }
  receiver_handle& receiver() noexcept { return *receiver_; }
  node_handle& node() noexcept { return *node_; }

  /// Builds the node; it waits for its `go`.
  void start_node();
  /// Lets it end politely, with what is under way, and the others too; throws
  /// when one can't.
  void stop_node();
  /// Waits until it holds every partition, after `go`.
  void wait_until_leased();
  /// Starts so many nodes, settles, and lets them go until each holds its fair
  /// share of the partitions.
  void start_at_work(std::size_t nodes = 1);
  /// Vacuums, analyses, writes a checkpoint.
  void settle();
  meter start_meter();

  /// Waits so long; throws `interrupted` when told to end, and what it said
  /// when the node has ended.
  void pause(std::chrono::milliseconds time);

  /// Waits until the receiver has as many different events and the database
  /// says that nothing is open for endpoints that are answered; false once
  /// nothing has moved for so long. Returns when that was, on the monotonic
  /// clock.
  struct ending {
    bool complete = false;
    std::int64_t at = 0;
  };
  ending wait_until_delivered(std::uint64_t events, const std::string& what);

  /// Likewise until the receiver has got so many requests, whatever it made of
  /// them.
  ending wait_until_requested(std::uint64_t requests, const std::string& what);

  using tallies = std::vector<const load_tally*>;
  /// Adds what the receiver and the database hold against the run, of so many
  /// events for endpoints that are answered, to the report, and the counts to
  /// the phase. What no tally has counted was committed in its order. Of what
  /// one has, only that is out of order which was accepted before an event
  /// that overtook it was meant to be sent: order among concurrent producers
  /// is that of their commits. So many deliveries more are to be open still.
  void judge(std::uint64_t accepted, bench_report& report, bench_phase& phase,
             const tallies& from = {}, std::uint64_t left_open = 0);
  /// Holds the attempts on record that were sent against the requests that
  /// came, those that got no answer too: waiting costs no attempt. After
  /// `stop_node`, so that nothing is under way.
  void judge_attempts(bench_report& report, bench_phase& phase);

  /// A report with what is known of the run from the start.
  bench_report start_report(const std::string& scenario);

private:
  std::uint64_t out_of_order(const tallies& from);
  static void stop(node_handle& one);
  void open_database();
  void make_endpoints();
  void make_endpoint(store::catalog& catalog, const endpoint_group& group);
  void remove_endpoints();

  stage_options options_;
  stop_signals signals_;
  work_folder folder_;
  std::unique_ptr<embedded_postgres> postgres_;
  std::string url_;
  std::string api_key_;
  std::string secret_key_;
  std::unique_ptr<store::workbench> database_;
  std::int64_t first_delivery_ = 0;
  load_targets targets_; ///< by number of the endpoint
  std::vector<std::int64_t> all_;
  std::vector<std::int64_t> sick_;
  std::vector<std::int64_t> answered_; ///< the others
  std::unique_ptr<receiver_handle> receiver_;
  std::unique_ptr<node_handle> node_;
  std::vector<std::unique_ptr<node_handle>> others_; ///< beside it
};

} // namespace postrider::app
