#pragma once

#include "app/bench/bench_report.hpp"
#include "app/bench/load_tally.hpp"
#include "app/bench/meter.hpp"
#include "app/bench/node_handle.hpp"
#include "app/bench/receiver_handle.hpp"
#include "app/embedded_postgres.hpp"
#include "app/stop_signals.hpp"
#include "app/work_folder.hpp"
#include "store/workbench.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace postrider::app {

struct stage_options {
  /// Holds the URL of the database to work on; empty: one of its own.
  std::string database_url_file;
  bool among_foreign = false;
  std::string folder;                ///< empty: a temporary one
  std::string config_file;           ///< of the node
  std::vector<std::string> settings; ///< of the node: `section.key=value`
  std::size_t endpoints = 256;
  std::size_t payload = 1024; ///< bytes
  std::uint64_t verify_every = 16;
  arrival_fault fault = arrival_fault::none;
  std::uint64_t seed = 1;
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

  /// Throws what went wrong, `interrupted` too.
  explicit bench_stage(const stage_options& options);
  ~bench_stage();
  bench_stage(const bench_stage&) = delete;
  bench_stage& operator=(const bench_stage&) = delete;

  /// The type of event that goes to the endpoint with this number.
  static std::string type_for(std::size_t endpoint);

  const stage_options& options() const noexcept { return options_; }
  const std::string& database_url() const noexcept { return url_; }
  const std::string& api_key() const noexcept { return api_key_; }
  store::workbench& database() noexcept { return *database_; }
  receiver_handle& receiver() noexcept { return *receiver_; }
  node_handle& node() noexcept { return *node_; }

  /// Builds the node; it waits for its `go`.
  void start_node();
  /// Vacuums, analyses, writes a checkpoint.
  void settle();
  meter start_meter();

  /// Waits so long; throws `interrupted` when told to end, and what it said
  /// when the node has ended.
  void pause(std::chrono::milliseconds time);

  /// Waits until the receiver has as many different events and the database
  /// says that nothing is open; false once nothing has moved for so long.
  /// Returns when that was, on the monotonic clock.
  struct ending {
    bool complete = false;
    std::int64_t at = 0;
  };
  ending wait_until_delivered(std::uint64_t events, const std::string& what);

  /// Adds what the receiver and the database hold against the run, of so many
  /// events that were accepted, to the report, and the counts to the phase.
  /// Without a `tally` all of them were committed before the first one left;
  /// with it only that is out of order which was accepted before an event that
  /// overtook it was meant to be sent: order among concurrent producers is
  /// that of their commits.
  void judge(std::uint64_t accepted, bench_report& report, bench_phase& phase,
             const load_tally* tally = nullptr);

  /// A report with what is known of the run from the start.
  bench_report start_report(const std::string& scenario);

private:
  std::uint64_t out_of_order(const load_tally* tally);
  void open_database();
  void make_endpoints();
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
  std::unique_ptr<receiver_handle> receiver_;
  std::unique_ptr<node_handle> node_;
};

} // namespace postrider::app
