#include "tests/support/receiver.hpp"

#include "tests/support/receiver_socket.hpp"

#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <list>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace postrider::testing {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x))
           == std::tolower(static_cast<unsigned char>(y));
  });
}

// `head` ends with the blank line. Our own client wrote it, so it is regular.
arrival read_head(std::string_view head) {
  arrival result;
  auto line_end = head.find("\r\n");
  auto line = head.substr(0, line_end);
  const auto from = std::min(line.find(' '), line.size() - 1) + 1;
  result.target = line.substr(from, line.rfind(' ') - from);
  for (auto at = line_end + 2; at < head.size(); at = line_end + 2) {
    line_end = head.find("\r\n", at);
    line = head.substr(at, line_end - at);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
      break;
    const auto value =
        std::min(line.find_first_not_of(' ', colon + 1), line.size());
    result.headers.push_back(
        {std::string{line.substr(0, colon)}, std::string{line.substr(value)}});
  }
  return result;
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

} // namespace

// The thread of one connection. It is joined, never detached: what OpenSSL does
// as a thread ends must not meet the end of the process.
struct server {
  std::thread thread;
  bool done = false; // under the mutex
};

struct receiver::state {
  options what;
  behaviour how;
  int listener = -1;
  std::uint16_t port = 0;
  SSL_CTX* tls = nullptr;
  std::thread acceptor;

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool stopping = false;
  int accepted = 0;
  std::list<server> servers;
  std::set<receiver_socket*> open;
  std::vector<arrival> arrived;

  void accept_all();
  void join_servers(bool all);
  void serve(int fd, int number);
  void converse(receiver_socket& socket, int number);
  bool read_request(receiver_socket& socket, std::string& pending,
                    arrival& into) const;
  bool perform(receiver_socket& socket, const arrival& request,
               const script& steps);
  void tell(const arrival& request, const step& done) const;
};

void receiver::state::accept_all() {
  block_signals();
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock{mutex};
    if (stopping || fd < 0) {
      if (fd >= 0)
        ::close(fd);
      if (stopping)
        return;
      continue;
    }
    join_servers(false);
    auto& its = servers.emplace_back();
    its.thread = std::thread{[this, &its, fd, number = accepted++] {
      block_signals();
      serve(fd, number);
      const std::lock_guard done{mutex};
      its.done = true;
    }};
  }
}

// The caller holds the mutex, which a server that is done never takes again;
// for all of them, nobody may hold it, and none may be added.
void receiver::state::join_servers(bool all) {
  for (auto at = servers.begin(); at != servers.end();) {
    if (!all && !at->done) {
      ++at;
      continue;
    }
    at->thread.join();
    at = servers.erase(at);
  }
}

void receiver::state::serve(int fd, int number) {
  receiver_socket socket{fd};
  {
    const std::lock_guard lock{mutex};
    if (stopping)
      return;
    open.insert(&socket);
  }
  if (!what.reset_at_accept && (!tls || socket.accept_tls(tls)))
    converse(socket, number);
  const std::lock_guard lock{mutex};
  open.erase(&socket);
  if (what.reset_at_accept)
    socket.reset();
}

void receiver::state::converse(receiver_socket& socket, int number) {
  std::string pending;
  for (;;) {
    arrival request;
    if (!read_request(socket, pending, request))
      return;
    request.connection = number;
    request.server_name = socket.server_name();
    behaviour answer_by;
    {
      const std::lock_guard lock{mutex};
      arrived.push_back(request);
      answer_by = how;
    }
    changed.notify_all();
    if (!perform(socket, request, answer_by(request)))
      return;
  }
}

bool receiver::state::read_request(receiver_socket& socket,
                                   std::string& pending, arrival& into) const {
  auto end = pending.find("\r\n\r\n");
  for (; end == std::string::npos; end = pending.find("\r\n\r\n"))
    if (!socket.read_some(pending))
      return false;
  into = read_head(std::string_view{pending}.substr(0, end + 4));
  pending.erase(0, end + 4);
  into.at = std::chrono::steady_clock::now();
  const auto length = into.find("content-length");
  if (what.answer_after_head || length.empty())
    return true;
  const auto size = std::stoul(length);
  while (pending.size() < size)
    if (!socket.read_some(pending))
      return false;
  into.body = pending.substr(0, size);
  pending.erase(0, size);
  into.at = std::chrono::steady_clock::now();
  return true;
}

void receiver::state::tell(const arrival& request, const step& done) const {
  if (what.performed)
    what.performed(request, done);
}

bool receiver::state::perform(receiver_socket& socket, const arrival& request,
                              const script& steps) {
  for (const auto& each : steps) {
    switch (each.what) {
    case step::kind::write:
      if (!socket.write_all(each.bytes))
        return false;
      tell(request, each);
      break;
    case step::kind::endless:
      while (socket.write_all(each.bytes))
        ;
      return false;
    case step::kind::pause: {
      std::unique_lock lock{mutex};
      changed.wait_for(lock, each.wait, [&] { return stopping; });
      break;
    }
    case step::kind::reset: {
      const std::lock_guard lock{mutex};
      open.erase(&socket);
      socket.reset();
      tell(request, each);
      return false;
    }
    case step::kind::close:
      tell(request, each);
      return false;
    case step::kind::keep:
      return true;
    }
  }
  return false;
}

std::string arrival::find(std::string_view name) const {
  for (const auto& each : headers)
    if (same_name(each.name, name))
      return each.value;
  return {};
}

script answer(int status, std::string body, std::vector<header> headers) {
  std::string bytes = "HTTP/1.1 " + std::to_string(status) + " X\r\n";
  for (const auto& each : headers)
    bytes += each.name + ": " + each.value + "\r\n";
  bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  return {{step::kind::write, std::move(bytes), {}}, {}};
}

receiver::receiver(behaviour how) : receiver{std::move(how), options{}} {}

receiver::receiver(behaviour how, options what)
    : state_{std::make_unique<state>()} {
  state_->how = std::move(how);
  state_->what = std::move(what);
  const auto& chosen = state_->what;
  if (chosen.tls) {
    state_->tls = SSL_CTX_new(TLS_server_method());
    // The certificates that a client has to refuse need not please us.
    SSL_CTX_set_security_level(state_->tls, 0);
    if (chosen.only_tls_1_0)
      SSL_CTX_set_max_proto_version(state_->tls, TLS1_VERSION);
    if (SSL_CTX_use_certificate_chain_file(state_->tls,
                                           chosen.certificate.c_str())
            != 1
        || SSL_CTX_use_PrivateKey_file(state_->tls, chosen.key.c_str(),
                                       SSL_FILETYPE_PEM)
               != 1) {
      SSL_CTX_free(state_->tls);
      throw std::runtime_error{"can't use the certificate "
                               + chosen.certificate};
    }
  }
  state_->listener = listen_on(chosen.address, chosen.port, 4096);
  state_->port = port_of(state_->listener);
  state_->acceptor = std::thread{[self = state_.get()] { self->accept_all(); }};
}

receiver::~receiver() {
  {
    const std::lock_guard lock{state_->mutex};
    state_->stopping = true;
    for (auto* each : state_->open)
      each->interrupt();
  }
  state_->changed.notify_all();
  shutdown(state_->listener, SHUT_RDWR);
  state_->acceptor.join();
  ::close(state_->listener);
  state_->join_servers(true);
  SSL_CTX_free(state_->tls);
}

std::uint16_t receiver::port() const {
  return state_->port;
}

std::string receiver::url(std::string_view path) const {
  const auto& address = state_->what.address;
  const bool v6 = address.find(':') != std::string::npos;
  return (state_->what.tls ? "https://" : "http://")
         + (v6 ? "[" + address + "]" : address) + ":"
         + std::to_string(state_->port) + std::string{path};
}

std::vector<arrival> receiver::arrivals() const {
  const std::lock_guard lock{state_->mutex};
  return state_->arrived;
}

bool receiver::wait_for(std::size_t count,
                        std::chrono::milliseconds limit) const {
  std::unique_lock lock{state_->mutex};
  return state_->changed.wait_for(
      lock, limit, [&] { return state_->arrived.size() >= count; });
}

int receiver::connections() const {
  const std::lock_guard lock{state_->mutex};
  return state_->accepted;
}

void receiver::behave(behaviour how) {
  const std::lock_guard lock{state_->mutex};
  state_->how = std::move(how);
}

} // namespace postrider::testing
