#include "net/http_client.hpp"

#include "net/client/pool.hpp"
#include "net/client/settings.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cassert>
#include <csignal>
#include <mutex>
#include <thread>

namespace postrider::net {

using client::exchange;
using client::exchange_ptr;

namespace {

constexpr std::chrono::milliseconds tick_every{250};
// Requests that begin between two looks at what came for idle connections.
constexpr std::size_t look_every = 16;

} // namespace

class http_client::impl {
public:
  explicit impl(http_client_settings settings)
      : pool_{io_, std::move(settings), meters_},
        work_{io_.get_executor()},
        clock_{io_} {
    tick();
    // Signals are for the main thread; and writing to a closed TLS connection
    // must not raise SIGPIPE. A thread inherits what is blocked.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{[this] { io_.run(); }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void send(std::vector<exchange_ptr> batch) {
    bool wake = false;
    {
      const std::lock_guard lock{mutex_};
      if (!stopped_) {
        wake = inbox_.empty();
        std::move(batch.begin(), batch.end(), std::back_inserter(inbox_));
        batch.clear();
      }
    }
    for (auto& each : batch)
      settle(std::move(each), attempt_error::cancelled);
    if (wake)
      boost::asio::post(io_, [this] { take_inbox(); });
  }

  void stop() {
    assert(std::this_thread::get_id() != thread_.get_id());
    {
      const std::lock_guard lock{mutex_};
      if (!stopped_) {
        stopped_ = true;
        boost::asio::post(io_, [this] {
          pool_.shut_down();
          ended_ = true;
          clock_.cancel();
          take_inbox();
          work_.reset();
        });
      }
    }
    std::call_once(joined_, [this] { thread_.join(); });
  }

  void apply(http_client_settings settings) {
    const std::lock_guard lock{mutex_};
    if (!stopped_)
      boost::asio::post(io_, [this, settings = std::move(settings)]() mutable {
        pool_.apply(std::move(settings));
      });
  }

  bool on_loop() const {
    return std::this_thread::get_id() == thread_.get_id();
  }

  void later(std::function<void()> job) {
    boost::asio::post(io_, std::move(job));
  }

  http_client_gauges gauges() const { return {pool_.active(), pool_.idle()}; }
  const http_client_meters& meters() const { return *meters_; }

private:
  /// Tells that the loop turns, and how late it is.
  void tick() {
    meters_->loop.tick(client::steady::now());
    clock_.expires_after(tick_every);
    clock_.async_wait([this](boost::system::error_code fault) {
      // One that has expired already can't be cancelled any more.
      if (fault || ended_)
        return;
      meters_->loop.lag.observe(client::steady::now() - clock_.expiry());
      tick();
    });
  }

  void take_inbox() {
    std::vector<exchange_ptr> batch;
    {
      const std::lock_guard lock{mutex_};
      batch.swap(inbox_);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i % look_every == 0)
        pool_.look();
      pool_.submit(std::move(batch[i]));
    }
  }

  const std::shared_ptr<http_client_meters> meters_ =
      std::make_shared<http_client_meters>();
  boost::asio::io_context io_{1};
  client::pool pool_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;
  boost::asio::steady_timer clock_;
  bool ended_ = false; ///< of the loop's thread
  std::thread thread_;
  std::once_flag joined_;
  std::mutex mutex_;
  std::vector<exchange_ptr> inbox_;
  bool stopped_ = false;
};

http_client_settings make_settings(http_client_options options) {
  return std::make_shared<const client::settings>(std::move(options));
}

http_client::http_client(http_client_options options)
    : impl_{std::make_unique<impl>(make_settings(std::move(options)))} {}

http_client::~http_client() {
  stop();
}

void http_client::send(http_request request, callback done) {
  std::vector<exchange_ptr> one;
  one.push_back(
      std::make_unique<exchange>(std::move(request), std::move(done)));
  impl_->send(std::move(one));
}

void http_client::send(
    std::vector<std::pair<http_request, callback>> requests) {
  std::vector<exchange_ptr> batch;
  batch.reserve(requests.size());
  for (auto& [request, done] : requests)
    batch.push_back(
        std::make_unique<exchange>(std::move(request), std::move(done)));
  impl_->send(std::move(batch));
}

void http_client::apply(http_client_settings settings) {
  impl_->apply(std::move(settings));
}

bool http_client::on_loop() const {
  return impl_->on_loop();
}

void http_client::later(std::function<void()> job) {
  impl_->later(std::move(job));
}

void http_client::stop() {
  impl_->stop();
}

http_client_gauges http_client::gauges() const {
  return impl_->gauges();
}

const http_client_meters& http_client::meters() const {
  return impl_->meters();
}

} // namespace postrider::net
