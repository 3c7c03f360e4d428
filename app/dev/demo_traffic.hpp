#pragma once

#include "app/api_client.hpp"
#include "app/child.hpp"
#include "app/delivery_ledger.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace postrider::app {

struct traffic_options {
  double rate = 200; ///< events per second
  std::string run;   ///< marks the events of this run
};

/// Sends events at a steady rate: most through the HTTP API, every tenth by
/// SQL through `psql`, as an application's transaction would. In each stream
/// the next event is sent when the one before it is accepted, so that their
/// order is certain; what was not surely accepted is sent again under the same
/// id. At most a thousand wait or are under way; beyond that the traffic waits
/// for the engine.
class demo_traffic {
public:
  /// `psql` is a running `psql` on the node's database.
  demo_traffic(traffic_options options, api_client& api, child& psql,
               delivery_ledger& ledger);
  ~demo_traffic();
  demo_traffic(const demo_traffic&) = delete;
  demo_traffic& operator=(const demo_traffic&) = delete;

  /// Makes no further events and waits, up to `limit`, until those under way
  /// are accepted. False when some are not.
  bool stop(std::chrono::milliseconds limit);

  /// Events that had to be sent again.
  std::uint64_t resent() const { return resent_; }
  /// Why the last one was, or why SQL stopped; empty when all is well.
  std::string trouble() const;

private:
  /// The events of one ordering key, the first of them perhaps under way.
  struct line {
    std::deque<std::string> bodies;
    bool under_way = false;
    std::chrono::steady_clock::time_point not_before;
  };

  void send_by_http();
  void send_by_sql();
  void post(line& from);
  void took(line& from, const api_answer& answer);
  void note(std::string what);

  traffic_options options_;
  api_client& api_;
  child& psql_;
  delivery_ledger& ledger_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool given_up_ = false;
  std::map<std::string, line> lines_; ///< by ordering key
  std::size_t open_ = 0;              ///< events in them
  std::string trouble_;
  std::atomic<std::uint64_t> resent_{0};
  std::thread http_;
  std::thread sql_;
};

/// Starts the `psql` that `demo_traffic` needs. Call it on the main thread.
child start_psql(const std::string& program, const std::string& database);

} // namespace postrider::app
