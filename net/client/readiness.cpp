#include "net/client/readiness.hpp"

#include <sys/epoll.h>

#include <array>

namespace postrider::net::client {

namespace {

constexpr unsigned ended = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

} // namespace

readiness::readiness(boost::asio::io_context& io) : set_{io} {
  set_.assign(epoll_create1(EPOLL_CLOEXEC));
  wait();
}

bool readiness::add(const connection_ptr& which) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const auto at = free_.back();
  auto& here = places_[at];
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  wanted.data.u64 = std::uint64_t{here.turn} << 32 | at;
  if (epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, which->take_over(),
                &wanted)
      != 0)
    return false;
  free_.pop_back();
  here.of = which;
  which->place = at;
  return true;
}

void readiness::remove(const connection& which) {
  if (!which.place)
    return;
  auto& here = places_[*which.place];
  here.of.reset();
  ++here.turn;
  free_.push_back(*which.place);
}

void readiness::poll() {
  std::array<epoll_event, 128> found;
  for (;;) {
    const int many = epoll_wait(set_.native_handle(), found.data(),
                                static_cast<int>(found.size()), 0);
    for (int i = 0; i < many; ++i) {
      const auto& [events, data] = found[static_cast<std::size_t>(i)];
      const auto& here = places_[static_cast<std::uint32_t>(data.u64)];
      if (here.turn != data.u64 >> 32)
        continue;
      if (const auto one = here.of.lock())
        one->ready((events & ended) != 0);
    }
    if (many < static_cast<int>(found.size()))
      return;
  }
}

void readiness::stop() {
  boost::system::error_code ignored;
  set_.close(ignored);
}

void readiness::wait() {
  set_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                  [this](boost::system::error_code fault) {
                    if (fault)
                      return;
                    poll();
                    wait();
                  });
}

} // namespace postrider::net::client
