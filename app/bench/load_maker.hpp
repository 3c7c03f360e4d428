#pragma once

#include "app/api_client.hpp"
#include "app/bench/load_plan.hpp"
#include "app/bench/load_tally.hpp"
#include "app/bench/load_target.hpp"
#include "app/bench/payload.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace postrider::app {

struct load_options {
  load_targets targets;
  std::size_t payload = 1024; ///< bytes
  /// Connections: over HTTP, requests that may be under way in a closed loop.
  std::size_t connections = 32;
  bool open_loop = false;
  /// Portions go as batches even when they hold one event.
  bool batches = false;
};

/// Sends a plan's events to a node's API over keep-alive connections.
class http_load {
public:
  http_load(const std::string& api_url, const std::string& key,
            const load_options& options, load_plan& plan, load_tally& tally);
  /// Ends the plan and what is under way.
  ~http_load();
  http_load(const http_load&) = delete;
  http_load& operator=(const http_load&) = delete;

  /// Every event of the plan was answered.
  bool done() const;

private:
  void send(const load_portion& one);
  void send_next();
  void answered(const load_portion& one, const api_answer& answer);
  std::string body_of(const load_portion& one) const;

  load_options options_;
  payload_maker payloads_;
  load_plan& plan_;
  load_tally& tally_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t open_ = 0;    ///< requests under way
  std::size_t senders_ = 0; ///< that may still send
  api_client api_;
  std::thread sender_; ///< of an open loop
};

/// Publishes a plan's events in SQL, each portion in a transaction of its own.
class sql_load {
public:
  sql_load(const std::string& database_url, const load_options& options,
           load_plan& plan, load_tally& tally);
  /// Ends the plan and waits for what is under way.
  ~sql_load();
  sql_load(const sql_load&) = delete;
  sql_load& operator=(const sql_load&) = delete;

  bool done() const { return running_ == 0; }

private:
  void work(const std::string& database_url);

  load_options options_;
  payload_maker payloads_;
  load_plan& plan_;
  load_tally& tally_;
  std::atomic<std::size_t> running_{0};
  std::vector<std::thread> threads_;
};

} // namespace postrider::app
