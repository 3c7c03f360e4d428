#include "net/server/loop.hpp"

#include "net/server/connection.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <ctime>

namespace postrider::net::server {

namespace {

std::string http_date() {
  auto now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  auto size =
      std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

std::chrono::milliseconds interval_for(const http_server_options& options) {
  auto shortest = std::min(
      {options.header_timeout, options.body_timeout, options.idle_timeout});
  return std::clamp(shortest / 4, std::chrono::milliseconds{5},
                    std::chrono::milliseconds{250});
}

} // namespace

loop::loop(std::shared_ptr<shared_state> shared)
    : shared_{std::move(shared)},
      interval_{interval_for(shared_->options)},
      date_{http_date()} {}

void loop::start() {
  boost::asio::post(context_, [this] { tick(); });
  thread_ = std::thread{[this] { context_.run(); }};
}

void loop::add(std::shared_ptr<connection> connection) {
  live_.insert(std::move(connection));
}

void loop::remove(const std::shared_ptr<connection>& connection) {
  live_.erase(connection);
}

void loop::tick() {
  if (ended_)
    return;
  now_ = clock::now();
  meters_.tick(now_);
  date_ = http_date();
  // A connection that ends here leaves the set.
  auto live = live_;
  for (const auto& connection : live)
    connection->check_deadline();
  timer_.expires_after(interval_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error)
      return;
    meters_.lag.observe(clock::now() - timer_.expiry());
    tick();
  });
}

void loop::deliver(std::shared_ptr<connection> to, std::uint64_t serial,
                   server_response response) {
  {
    std::lock_guard lock{mutex_};
    if (closed_)
      return;
    answers_.push_back({std::move(to), serial, std::move(response)});
    if (scheduled_)
      return;
    scheduled_ = true;
  }
  boost::asio::post(context_, [this] { hand_out(); });
}

void loop::hand_out() {
  {
    std::lock_guard lock{mutex_};
    scheduled_ = false;
    handing_out_.swap(answers_);
  }
  for (auto& [to, serial, response] : handing_out_)
    to->answer(serial, std::move(response));
  handing_out_.clear();
}

void loop::close_idle() {
  boost::asio::post(context_, [this] {
    auto live = live_;
    for (const auto& connection : live)
      connection->close_if_idle();
  });
}

void loop::finish() {
  std::vector<answer> dropped;
  {
    std::lock_guard lock{mutex_};
    closed_ = true;
    dropped.swap(answers_);
  }
  boost::asio::post(context_, [this] {
    ended_ = true;
    timer_.cancel();
    auto live = live_;
    for (const auto& connection : live)
      connection->close();
  });
  if (thread_.joinable())
    thread_.join();
  else
    context_.run();
}

} // namespace postrider::net::server
