#pragma once

#include "net/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace postrider::net::server {

class connection;

/// What the connections of one server share and none may change.
struct shared_state {
  http_server_options options; ///< but for the body's limit
  std::atomic<std::size_t> body_limit = 0;
  http_server::handler handle;
  std::atomic<bool> stopping = false;
  std::atomic<std::size_t> connections = 0;
};

/// One thread with its I/O loop and the connections that live on it. A coarse
/// clock ticks for all deadlines, so that no request sets a timer.
class loop : public std::enable_shared_from_this<loop> {
public:
  using clock = std::chrono::steady_clock;

  explicit loop(std::shared_ptr<shared_state> shared);

  boost::asio::io_context& context() { return context_; }
  shared_state& shared() { return *shared_; }
  /// Now, to the precision of the tick.
  clock::time_point now() const { return now_; }
  const loop_meters& meters() const { return meters_; }
  /// The value of the Date header.
  const std::string& date() const { return date_; }

  void start();
  /// Brings an answer to its connection; from any thread. Many answers wake
  /// the loop once.
  void deliver(std::shared_ptr<connection> to, std::uint64_t serial,
               server_response response);
  /// Closes what is idle; from any thread.
  void close_idle();
  /// Closes everything and joins; answers that come later are dropped.
  void finish();

  /// Connections are kept here until they are closed, on this thread.
  void add(std::shared_ptr<connection> connection);
  void remove(const std::shared_ptr<connection>& connection);

private:
  struct answer {
    std::shared_ptr<connection> to;
    std::uint64_t serial;
    server_response response;
  };

  void tick();
  void hand_out();

  std::shared_ptr<shared_state> shared_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_{context_};
  std::chrono::milliseconds interval_;
  clock::time_point now_ = clock::now();
  loop_meters meters_;
  std::string date_;
  std::unordered_set<std::shared_ptr<connection>> live_;
  bool ended_ = false;
  std::thread thread_;

  std::mutex mutex_;
  std::vector<answer> answers_;
  std::vector<answer> handing_out_;
  bool scheduled_ = false;
  bool closed_ = false;
};

} // namespace postrider::net::server
