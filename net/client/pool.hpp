#pragma once

#include "net/client/connection.hpp"
#include "net/client/dial.hpp"
#include "net/client/exchange.hpp"
#include "net/client/idle_set.hpp"
#include "net/client/readiness.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <deque>
#include <list>
#include <vector>

namespace postrider::net::client {

/// All connections of a client and the requests that use or await them. Lives
/// on the loop's thread; only the gauges are read elsewhere.
class pool {
public:
  pool(boost::asio::io_context& io, http_client_settings settings,
       std::shared_ptr<http_client_meters> meters);

  /// Closes what is idle; what is in use is closed after its request.
  void apply(http_client_settings settings);

  void submit(exchange_ptr work);
  /// Before many are submitted: hears what has come for those that are idle.
  void look() { ready_.poll(); }
  /// Ends every request and closes every connection; later ones are cancelled.
  void shut_down();

  http_client_meters& meters() { return *meters_; }
  std::size_t active() const { return active_.load(); }
  std::size_t idle() const { return idle_.load(); }

  // What a connection reports. `closed` comes once, for whatever reason it is
  // of no more use.
  void became_idle(const connection_ptr& which);
  void closed(connection& which);
  /// A reused connection ended before the first byte of a response: the
  /// request goes out once more, on a fresh one. (C-14)
  void went_stale(connection& which, exchange_ptr work);
  /// It closes its socket.
  void tells_no_more(connection& which) { ready_.remove(which); }

private:
  struct dialling {
    std::shared_ptr<dial> connecting;
    exchange_ptr work;
  };

  bool serve(exchange_ptr& work);
  void serve_waiting();
  bool reuse(exchange_ptr& work);
  void begin_dial(exchange_ptr work);
  void dialled(std::list<dialling>::iterator which, dial_result result);
  void retire(const connection_ptr& which);
  bool retire_any_idle();
  void forget(connection& which);
  std::size_t open() const { return connections_.size() + dials_.size(); }
  void count();
  const http_client_options& options() const;

  void keep_time();
  void tick();
  void tick_connections(steady::time_point now);
  void tick_waiting(steady::time_point now);

  boost::asio::io_context& io_;
  http_client_settings settings_;
  const std::shared_ptr<http_client_meters> meters_;
  resolver names_;
  std::vector<char> scratch_;
  readiness ready_;
  std::vector<connection_ptr> connections_;
  idle_set idles_;
  std::list<dialling> dials_;
  std::deque<exchange_ptr> waiting_;
  std::size_t sweep_ = 0;
  boost::asio::steady_timer timer_;
  bool ticking_ = false;
  bool stopped_ = false;
  std::atomic<std::size_t> active_{0};
  std::atomic<std::size_t> idle_{0};
};

} // namespace postrider::net::client
