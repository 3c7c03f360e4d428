#pragma once

#include "tests/e2e/platform.hpp"
#include "tests/faults/check.hpp"
#include "tests/faults/ledger_file.hpp"
#include "tests/faults/ledger_receiver.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace postrider::testing {

/// One run: a platform whose nodes can be given failpoints, a producer and a
/// receiver that keep ledgers, and the verdict on them. The ledgers are
/// removed with it unless the verdict was bad.
class fault_bench {
public:
  /// `how` is what the receiver answers.
  explicit fault_bench(receiver::behaviour how);
  /// On a server of the test's own.
  fault_bench(postgres_server& server, receiver::behaviour how);
  /// On a database that is there, migrated and empty.
  fault_bench(const std::string& url, receiver::behaviour how);
  ~fault_bench();

  /// Starts a node `n1`, `n2`, … that takes over within about a second.
  /// `settings` as `platform` takes them; `failpoints` as
  /// `parse_failpoints` does.
  node_process& start(const std::string& failpoints = "",
                      std::map<std::string, std::string> settings = {},
                      bool until_ready = true);
  node_process& node() { return *here_.nodes().back(); }
  /// The name of the last node.
  std::string name() const { return "n" + std::to_string(started_); }

  /// Needs a node that runs. `more` is further members of the endpoint.
  std::string endpoint(const std::string& more = "");

  /// Events are sent to this port from now on, whatever node is behind it,
  /// instead of to the last node.
  void send_to(std::uint16_t port) { door_ = port; }
  /// Sends one event by HTTP and notes it; the status, 0 when none came.
  /// `key` tells its payload too.
  int send(const std::string& key, const std::string& stream = "s");
  int send_payload(const std::string& key, const std::string& payload,
                   const std::string& stream = "s",
                   const std::string& type = "a.b");
  /// Sends until it is accepted, as a producer does; false at the end of the
  /// limit.
  bool insist(const std::string& key, const std::string& stream = "s",
              std::chrono::milliseconds limit = std::chrono::seconds{60});
  /// Before anything is sent by another way: what is on its way, and to whom.
  void note_call(const std::string& key, const std::string& payload,
                 const std::string& stream, const std::string& transaction);
  static std::string payload_of(const std::string& key);

  /// Kills a node as kill -9 does.
  void kill(node_process& which, const std::string& name);
  void mark(const std::string& did, const std::string& name,
            std::chrono::milliseconds within = {});
  /// Stops a node for so long, as SIGSTOP does.
  void pause(node_process& which, const std::string& name,
             std::chrono::milliseconds span);
  ledger_file& producer() { return producer_; }
  ledger_file& receipts() { return receipts_; }
  ledger_receiver& shop() { return shop_; }
  platform& here() { return here_; }

  /// Waits until nothing is open that can be delivered now.
  bool drained(std::chrono::milliseconds limit = std::chrono::seconds{60});
  /// Reads the ledgers back, together with what the database holds.
  std::vector<verdict> judge();
  /// The same, as text for a failed test, with the place of the ledgers.
  const std::string& said() const { return said_; }

private:
  void prepare();
  raw_answer call(std::string_view method, std::string_view path,
                  std::string_view body);

  std::filesystem::path folder_;
  ledger_file producer_;
  ledger_file receipts_;
  ledger_receiver shop_;
  platform here_;
  std::vector<std::string> endpoints_;
  std::mutex mutex_;
  std::atomic<std::uint16_t> door_{0};
  int started_ = 0;
  int paths_ = 0;
  bool keep_ = false;
  bool defective_ = false; ///< a bad verdict is what is wanted
  std::string said_;
};

/// The number beside a verdict, by the ids of RELIABILITY 2.
std::int64_t number_of(const std::vector<verdict>& all, const std::string& id,
                       const std::string& name);

} // namespace postrider::testing
