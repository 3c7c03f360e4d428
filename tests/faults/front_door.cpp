#include "tests/faults/front_door.hpp"

#include "tests/support/eventually.hpp"
#include "tests/support/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace postrider::testing {

namespace {

using namespace std::chrono_literals;

sockaddr_in local(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

int dial(std::uint16_t port) {
  const int link = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto to = local(port);
  if (connect(link, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0)
    return link;
  close(link);
  return -1;
}

/// Passes what is there on; false when nothing more will come.
bool pass(int from, int to) {
  std::array<char, 16384> bytes;
  const auto got = recv(from, bytes.data(), bytes.size(), 0);
  if (got <= 0)
    return false;
  for (ssize_t sent = 0; sent < got;) {
    const auto more = send(to, bytes.data() + sent,
                           static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (more <= 0)
      return false;
    sent += more;
  }
  return true;
}

} // namespace

struct front_door::state {
  struct backend {
    std::uint16_t api = 0;
    std::uint16_t admin = 0;
    bool ready = false;
  };

  int listener = -1;
  std::uint16_t port = 0;
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::vector<backend> all;
  std::size_t turn = 0;
  std::vector<std::jthread> threads;

  void look() {
    while (!done) {
      std::vector<backend> now;
      {
        const std::lock_guard lock{mutex};
        now = all;
      }
      for (auto& one : now)
        one.ready = is_ready(one.admin);
      {
        const std::lock_guard lock{mutex};
        for (std::size_t i = 0; i < now.size(); ++i)
          all[i].ready = now[i].ready;
      }
      std::this_thread::sleep_for(50ms);
    }
  }

  /// One that hangs is not ready, and keeps nobody waiting for long.
  static bool is_ready(std::uint16_t admin) {
    try {
      raw_client link{admin, 500ms};
      if (!link.send("GET /readyz HTTP/1.1\r\nHost: door\r\n"
                     "Connection: close\r\n\r\n"))
        return false;
      const auto got = link.receive();
      return got && got->status == 200;
    } catch (const std::runtime_error&) {
      return false; // nobody listens
    }
  }

  /// A connection to a node that is ready. A caller is kept waiting for a
  /// while when none is, as a balancer with a queue does; then -1.
  int next() {
    int out = -1;
    eventually([&] { return done || (out = dial_ready()) >= 0; }, 10s);
    return out;
  }

  int dial_ready() {
    std::vector<std::uint16_t> ports;
    {
      const std::lock_guard lock{mutex};
      for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto& one = all[(turn + i) % all.size()]; one.ready)
          ports.push_back(one.api);
      ++turn;
    }
    for (const auto port_there : ports)
      if (const int link = dial(port_there); link >= 0)
        return link;
    return -1;
  }

  void serve(int caller) {
    const int node = next();
    std::array<pollfd, 2> both{pollfd{caller, POLLIN, 0},
                               pollfd{node, POLLIN, 0}};
    while (node >= 0 && !done) {
      if (poll(both.data(), 2, 100) < 0)
        break;
      if (both[0].revents && !pass(caller, node))
        break;
      if (both[1].revents && !pass(node, caller))
        break;
    }
    close(caller);
    if (node >= 0)
      close(node);
  }

  void accept_all(const std::shared_ptr<state>& me) {
    while (!done) {
      pollfd one{listener, POLLIN, 0};
      if (poll(&one, 1, 100) <= 0)
        continue;
      if (const int caller = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
          caller >= 0)
        std::thread{[me, caller] { me->serve(caller); }}.detach();
    }
  }
};

front_door::front_door() : state_{std::make_shared<state>()} {
  auto& st = *state_;
  st.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto where = local(0);
  socklen_t size = sizeof where;
  if (bind(st.listener, reinterpret_cast<sockaddr*>(&where), size) != 0
      || listen(st.listener, 128) != 0
      || getsockname(st.listener, reinterpret_cast<sockaddr*>(&where), &size)
             != 0)
    throw std::runtime_error{"the front door can't be opened"};
  st.port = ntohs(where.sin_port);
  st.threads.emplace_back([&st] { st.look(); });
  st.threads.emplace_back(
      [&st, me = std::weak_ptr{state_}] { st.accept_all(me.lock()); });
}

front_door::~front_door() {
  state_->done = true;
  state_->threads.clear();
  close(state_->listener);
}

std::uint16_t front_door::port() const {
  return state_->port;
}

void front_door::add(const node_process& which) {
  const std::lock_guard lock{state_->mutex};
  state_->all.push_back({which.api_port(), which.admin_port(), false});
}

bool front_door::wait_for(int ready) {
  return eventually([&] {
    const std::lock_guard lock{state_->mutex};
    int count = 0;
    for (const auto& one : state_->all)
      count += one.ready ? 1 : 0;
    return count >= ready;
  });
}

} // namespace postrider::testing
