#include "store/listener.hpp"

#include "store/error.hpp"
#include "store/exchange.hpp"
#include "store/link.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace postrider::store {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// While there is so much to ring for, those that are rung poll every few
// milliseconds anyway.
constexpr milliseconds between_rings{50};
constexpr milliseconds time_to_ring{2'000};

} // namespace

class listener::impl {
public:
  explicit impl(database where) : where_{std::move(where)} {
    if (wake_ < 0)
      throw std::system_error{errno, std::generic_category(), "eventfd"};
  }
  ~impl() { ::close(wake_); }
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;

  bool wait(milliseconds within) {
    try {
      return wait_for(within);
    } catch (const error&) {
      link_.reset();
      throw;
    }
  }

  void ring() {
    if (!wanted_.exchange(true))
      wake();
  }

  void interrupt() {
    ended_ = true;
    wake();
  }

private:
  bool wait_for(milliseconds within) {
    const auto until = steady_clock::now() + within;
    if (!link_) {
      wanted_ = false;
      link_ = open_link(where_, "postrider listener", {"listen postrider"});
    }
    for (bool heard = false;; heard = hear()) {
      const auto now = steady_clock::now();
      if (heard || ended_ || now >= until)
        return heard;
      auto wake_at = until;
      if (wanted_ && now >= rung_ + between_rings)
        send();
      else if (wanted_)
        wake_at = std::min(until, rung_ + between_rings);
      sleep_until(wake_at);
    }
  }

  void sleep_until(steady_clock::time_point then) {
    const auto left =
        std::chrono::ceil<milliseconds>(then - steady_clock::now());
    std::array<pollfd, 2> of{pollfd{PQsocket(link_->handle.get()), POLLIN, 0},
                             pollfd{wake_, POLLIN, 0}};
    ::poll(of.data(), of.size(),
           static_cast<int>(std::max(left, milliseconds{0}).count()));
    if (of[1].revents != 0) {
      eventfd_t many = 0;
      ::eventfd_read(wake_, &many);
    }
  }

  bool hear() {
    auto* with = link_->handle.get();
    if (PQconsumeInput(with) != 1)
      throw error{error::kind::transient, one_line(PQerrorMessage(with)),
                  error_class::connection};
    bool out = false;
    while (auto* one = PQnotifies(with)) {
      out = out || one->be_pid != link_->backend;
      PQfreemem(one);
    }
    return out;
  }

  void send() {
    wanted_ = false;
    rung_ = steady_clock::now();
    auto* with = link_->handle.get();
    const auto done = exchange{with, time_to_ring}.ask("notify postrider");
    if (PQresultStatus(done.get()) != PGRES_COMMAND_OK)
      throw error{error::kind::transient, one_line(PQerrorMessage(with)),
                  error_class::other};
  }

  void wake() { ::eventfd_write(wake_, 1); }

  database where_;
  int wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::atomic<bool> wanted_{false};
  std::atomic<bool> ended_{false};
  std::optional<link> link_;
  steady_clock::time_point rung_{};
};

listener::listener(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}

listener::~listener() = default;

bool listener::wait(milliseconds within) {
  return impl_->wait(within);
}

void listener::ring() {
  impl_->ring();
}

void listener::interrupt() {
  impl_->interrupt();
}

} // namespace postrider::store
