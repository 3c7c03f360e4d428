#include "net/client/resolver.hpp"

#include "core/failpoint.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>

namespace postrider::net::client {

namespace {

constexpr std::size_t most_threads = 4;
constexpr std::size_t most_waiting = 4096;
constexpr std::size_t most_addresses = 16;

ip_address from_sockaddr(const sockaddr* where) {
  ip_address result;
  if (where->sa_family == AF_INET6) {
    std::memcpy(result.bytes.data(),
                &reinterpret_cast<const sockaddr_in6*>(where)->sin6_addr, 16);
    return result;
  }
  result.v4 = true;
  result.bytes[10] = result.bytes[11] = 0xff;
  std::memcpy(result.bytes.data() + 12,
              &reinterpret_cast<const sockaddr_in*>(where)->sin_addr, 4);
  return result;
}

// The C library that can't open a file or a socket says that there is no such
// name, above all when it has not looked anything up before.
bool lacks_descriptors() {
  const int one = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (one >= 0)
    ::close(one);
  return one < 0 && errno != EBADF;
}

// What a lookup came to that brought no address; `fault` is errno.
attempt_error explain(int code, int fault) {
  if (lacks_descriptors())
    return attempt_error::local_resources;
  switch (code) {
  case EAI_MEMORY:
    return attempt_error::local_resources;
  case EAI_AGAIN: // time-out, SERVFAIL, nobody there; or no socket to ask with
  case EAI_SYSTEM:
    return fault == EMFILE || fault == ENFILE || fault == ENOBUFS
                   || fault == ENOMEM
               ? attempt_error::local_resources
               : attempt_error::dns_unavailable;
  case EAI_FAIL: // the server refuses to serve
    return attempt_error::dns_unavailable;
  default:
    return attempt_error::dns_failure;
  }
}

lookup_result look_up(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  errno = 0;
  const int code = getaddrinfo((name + '.').c_str(), nullptr, &hints, &found);
  const int fault = errno;
  lookup_result result;
  if (code != 0) {
    result.fault = gai_strerror(code);
    result.error = explain(code, fault);
    return result;
  }
  for (const auto* each = found;
       each && result.addresses.size() < most_addresses; each = each->ai_next)
    result.addresses.push_back(from_sockaddr(each->ai_addr));
  freeaddrinfo(found);
  return result;
}

} // namespace

struct resolver::shared {
  std::shared_ptr<http_client_meters> meters;
  std::optional<name_server> server;
  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<std::string, std::vector<callback>> waiting;
  std::deque<std::string> names; ///< not yet begun
  std::size_t callbacks = 0;
  std::size_t threads = 0;
  std::size_t busy = 0;
  bool closed = false;

  bool start_thread(const std::shared_ptr<shared>& self);
  void set_up_lookups() const;
  void work();
  void answer(const std::string& name, const lookup_result& result);
};

bool resolver::shared::start_thread(const std::shared_ptr<shared>& self) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    // Not joined: a lookup can't be cancelled and nobody shall wait for it.
    std::thread{[self] { self->work(); }}.detach();
    ++threads;
  } catch (const std::system_error&) {
    // The threads there are take the name; without any, nobody can.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return threads > 0;
}

// Of the calling thread.
void resolver::shared::set_up_lookups() const {
  res_init();
  // A dead name server must not hold one of few threads for half a minute.
  _res.retrans = 2;
  _res.retry = 2;
  if (!server)
    return;
  _res.nscount = 1;
  auto& where = _res.nsaddr_list[0];
  where = {};
  where.sin_family = AF_INET;
  where.sin_port = htons(server->port);
  std::memcpy(&where.sin_addr, server->address.bytes.data() + 12, 4);
}

void resolver::shared::work() {
  set_up_lookups();
  std::unique_lock lock{mutex};
  for (;;) {
    changed.wait(lock, [this] { return closed || !names.empty(); });
    if (closed)
      return;
    const auto name = std::move(names.front());
    names.pop_front();
    ++busy;
    lock.unlock();
    const auto began = std::chrono::steady_clock::now();
    const auto result = look_up(name);
    meters->lookup.observe(std::chrono::steady_clock::now() - began);
    (result.addresses.empty() ? meters->failed_lookups : meters->lookups).add();
    lock.lock();
    --busy;
    answer(name, result);
  }
}

void resolver::shared::answer(const std::string& name,
                              const lookup_result& result) {
  const auto asked = waiting.extract(name);
  if (asked.empty())
    return;
  callbacks -= asked.mapped().size();
  for (const auto& each : asked.mapped())
    each(result);
}

resolver::resolver(const std::optional<name_server>& server,
                   std::shared_ptr<http_client_meters> meters)
    : shared_{std::make_shared<shared>()} {
  shared_->server = server;
  shared_->meters = std::move(meters);
  POSTRIDER_IF_FAILS(
      "resolver.own_server",
      const auto port = std::atoi(std::getenv("FAILPOINT_NAME_SERVER_PORT"));
      shared_->server = name_server{*parse_ip("127.0.0.1"),
                                    static_cast<std::uint16_t>(port)});
  // The C library reads its settings with the first lookup of the process and
  // never again: it must not be one for which there is no descriptor.
  static std::once_flag prepared;
  std::call_once(prepared, [] { look_up("localhost"); });
}

resolver::~resolver() {
  const std::lock_guard lock{shared_->mutex};
  shared_->closed = true;
  shared_->waiting.clear();
  shared_->changed.notify_all();
}

void resolver::resolve(const std::string& name, callback done) {
  if (name == "localhost" || name.ends_with(".localhost"))
    return done({{*parse_ip("::1"), *parse_ip("127.0.0.1")}, {}, {}});
  auto& state = *shared_;
  const std::lock_guard lock{state.mutex};
  if (state.callbacks == most_waiting)
    return done(
        {{}, "too many lookups are waiting", attempt_error::local_resources});
  auto& asked = state.waiting[name];
  asked.push_back(std::move(done));
  ++state.callbacks;
  if (asked.size() > 1)
    return;
  state.names.push_back(name);
  if (state.busy + state.names.size() > state.threads
      && state.threads < most_threads && !state.start_thread(shared_)) {
    state.names.pop_back();
    state.answer(
        name, {{}, "no thread can be started", attempt_error::local_resources});
    return;
  }
  state.changed.notify_one();
}

} // namespace postrider::net::client
