#include "tests/faults/postgres_proxy.hpp"

#include "tests/faults/postgres_wire.hpp"
#include "tests/support/receiver_socket.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace postrider::testing {

namespace {

std::map<std::string, std::string> read_url(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> all{
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree};
  std::map<std::string, std::string> out;
  for (const auto* one = all.get(); one && one->keyword; ++one)
    if (one->val)
      out[one->keyword] = one->val;
  return out;
}

int connect_to(const std::string& socket_file) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  socket_file.copy(where.sun_path, sizeof where.sun_path - 1);
  const int out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(out, reinterpret_cast<const sockaddr*>(&where), sizeof where)
      != 0) {
    close(out);
    return -1;
  }
  return out;
}

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool read_some(int from, std::string& into) {
  std::array<char, 16 * 1024> buffer;
  const auto got = recv(from, buffer.data(), buffer.size(), 0);
  if (got <= 0)
    return false;
  into.assign(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

} // namespace

struct postgres_proxy::state {
  std::string database;
  std::string user;
  std::string socket_file;
  std::function<bool(std::string_view)> loses;
  int listener = -1;
  std::atomic<bool> stopping{false};
  std::atomic<int> lost{0};
  std::thread acceptor;
  std::vector<std::thread> relays; ///< of the acceptor's

  void accept_all();
  void relay(int client);
  void pass_on(int client, int server);
};

void postgres_proxy::state::accept_all() {
  while (!stopping) {
    pollfd ready{listener, POLLIN, 0};
    if (poll(&ready, 1, 50) <= 0)
      continue;
    const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0)
      relays.emplace_back([this, client] { relay(client); });
  }
  for (auto& one : relays)
    one.join();
}

void postgres_proxy::state::relay(int client) {
  const int server = connect_to(socket_file);
  if (server >= 0) {
    pass_on(client, server);
    close(server);
  }
  // With a reset, as when a machine in between has gone.
  const linger hard{1, 0};
  setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(client);
}

void postgres_proxy::state::pass_on(int client, int server) {
  statement_watch asked;
  ready_watch answered;
  bool swallow = false;
  std::string bytes;
  while (!stopping) {
    std::array<pollfd, 2> ready{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), 50) <= 0)
      continue;
    if (ready[0].revents) {
      if (!read_some(client, bytes) || !write_all(server, bytes))
        return;
      for (const auto& name : asked.feed(bytes))
        swallow = swallow || loses(name);
    }
    if (ready[1].revents) {
      if (!read_some(server, bytes))
        return;
      const bool end = answered.feed(bytes);
      if (swallow && end) {
        ++lost;
        return;
      }
      if (!swallow && !write_all(client, bytes))
        return;
    }
  }
}

postgres_proxy::postgres_proxy(const std::string& url,
                               std::function<bool(std::string_view)> loses)
    : state_{std::make_shared<state>()} {
  auto parts = read_url(url);
  auto& st = *state_;
  st.database = parts["dbname"];
  st.user = parts["user"];
  st.socket_file = parts["host"] + "/.s.PGSQL."
                   + (parts["port"].empty() ? "5432" : parts["port"]);
  st.loses = std::move(loses);
  st.listener = listen_on("127.0.0.1", 0, 64);
  st.acceptor = std::thread{[&st] { st.accept_all(); }};
}

postgres_proxy::~postgres_proxy() {
  state_->stopping = true;
  state_->acceptor.join();
  close(state_->listener);
}

std::string postgres_proxy::url() const {
  return "postgresql://" + state_->user
         + "@127.0.0.1:" + std::to_string(port_of(state_->listener)) + "/"
         + state_->database + "?sslmode=disable&gssencmode=disable";
}

int postgres_proxy::lost() const {
  return state_->lost;
}

} // namespace postrider::testing
