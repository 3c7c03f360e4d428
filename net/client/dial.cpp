#include "net/client/dial.hpp"

#include "core/failpoint.hpp"
#include "net/client/settings.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace postrider::net::client {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// RFC 8305 section 8.
constexpr std::chrono::milliseconds next_address_after{250};
constexpr std::size_t most_candidates = 8;

asio::ip::tcp::endpoint endpoint_of(const ip_address& address,
                                    std::uint16_t port) {
  if (address.v4) {
    asio::ip::address_v4::bytes_type bytes;
    std::memcpy(bytes.data(), address.bytes.data() + 12, bytes.size());
    return {asio::ip::address_v4{bytes}, port};
  }
  return {asio::ip::address_v6{address.bytes}, port};
}

attempt_error explain_connect(const error_code& fault) {
  switch (fault.value()) {
  case ECONNREFUSED:
    return attempt_error::connect_refused;
  case ETIMEDOUT:
    return attempt_error::connect_timeout;
  case ENETUNREACH:
  case ENETDOWN:
    return attempt_error::network_unreachable;
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOMEM:
  case EADDRNOTAVAIL:
  case EAGAIN:
    return attempt_error::local_resources;
  default:
    return attempt_error::connect_failed;
  }
}

// One family after the other, so that a dead one costs a single step.
std::deque<ip_address> interleaved(const std::vector<ip_address>& found) {
  std::deque<ip_address> same;
  std::deque<ip_address> other;
  for (const auto& each : found)
    (each.v4 == found.front().v4 ? same : other).push_back(each);
  std::deque<ip_address> result;
  while (result.size() < most_candidates && !(same.empty() && other.empty())) {
    for (auto* from : {&same, &other}) {
      if (from->empty())
        continue;
      result.push_back(from->front());
      from->pop_front();
    }
  }
  return result;
}

} // namespace

dial::dial(dial_tools tools, url where, steady::time_point deadline,
           callback done)
    : tools_{std::move(tools)},
      where_{std::move(where)},
      deadline_{deadline},
      done_{std::move(done)},
      lap_from_{steady::now()} {}

std::chrono::milliseconds dial::lap(request_times& meter) {
  const auto now = steady::now();
  const auto took = now - std::exchange(lap_from_, now);
  meter.observe(took);
  return std::chrono::duration_cast<std::chrono::milliseconds>(took);
}

void dial::start() {
  if (where_.literal
      || tools_.settings->options.guard.refuse_port(where_.port)) {
    asio::post(tools_.io, [self = shared_from_this()] {
      const auto address = parse_ip(self->where_.host);
      self->resolved(
          {address ? std::vector{*address} : std::vector<ip_address>{},
           {},
           attempt_error::dns_failure});
    });
    return;
  }
  // The answer may come when nobody waits any more, but the loop outlives the
  // resolver and so the post is safe.
  tools_.names.resolve(where_.host, [&io = tools_.io, self = weak_from_this()](
                                        const lookup_result& found) {
    asio::post(io, [self, found] {
      if (auto alive = self.lock())
        alive->resolved(found);
    });
  });
}

void dial::resolved(const lookup_result& found) {
  if (phase_ != phase::resolving)
    return;
  if (auto why = tools_.settings->options.guard.refuse_port(where_.port))
    return refused(*why);
  result_.dns = lap(tools_.meters.dns);
  if (found.addresses.empty())
    return fail(found.error,
                found.fault.empty() ? "the name has no address" : found.fault);
  judge(found.addresses);
}

void dial::refused(std::string_view word) {
  tools_.meters.refused(word);
  fail(attempt_error::address_blocked, std::string{word});
}

void dial::judge(const std::vector<ip_address>& found) {
  std::vector<ip_address> allowed;
  std::string_view refusal;
  for (const auto& each : found) {
    auto why = tools_.settings->options.guard.refuse(each);
    POSTRIDER_IF_FAILS("defect.first_address",
                       if (&each != &found.front()) why.reset());
    if (why)
      refusal = *why;
    else
      allowed.push_back(each);
  }
  if (allowed.empty())
    return refused(refusal);
  addresses_ = interleaved(allowed);
  candidates_.reserve(addresses_.size());
  phase_ = phase::connecting;
  connect_next();
}

void dial::connect_next() {
  const auto address = addresses_.front();
  addresses_.pop_front();
  next_at_ = steady::now() + next_address_after;
  auto& socket = candidates_.emplace_back(tools_.io.get_executor());
  const auto endpoint = endpoint_of(address, where_.port);
  error_code fault;
  socket.open(endpoint.protocol(), fault);
  if (!fault)
    socket.non_blocking(true, fault);
  if (!fault)
    socket.set_option(asio::ip::tcp::no_delay{true}, fault);
  ++connecting_;
  const auto index = candidates_.size() - 1;
  if (fault) {
    asio::post(tools_.io, [self = shared_from_this(), index, fault] {
      self->connected(index, fault);
    });
    return;
  }
  socket.async_connect(endpoint,
                       [self = shared_from_this(), index](error_code refused) {
                         self->connected(index, refused);
                       });
}

void dial::connected(std::size_t index, error_code fault) {
  if (phase_ != phase::connecting)
    return;
  --connecting_;
  if (fault)
    return candidate_failed(explain_connect(fault), fault.message());
  result_.connect = lap(tools_.meters.connect);
  result_.link.emplace(std::move(candidates_[index]));
  candidates_.clear();
  if (where_.tls)
    begin_tls();
  else
    finish();
}

void dial::candidate_failed(attempt_error error, std::string detail) {
  // What the peer did says more than that this node lacks, say, IPv6.
  if (result_.error == attempt_error::none
      || result_.error == attempt_error::local_resources
      || result_.error == attempt_error::network_unreachable) {
    result_.error = error;
    result_.detail = std::move(detail);
  }
  if (!addresses_.empty())
    connect_next();
  else if (connecting_ == 0)
    fail(result_.error, std::move(result_.detail));
}

void dial::begin_tls() {
  auto tls = tools_.settings->tls.connect(
      where_, result_.link->socket().native_handle());
  if (!tls)
    return fail(attempt_error::local_resources, "TLS can't be set up");
  phase_ = phase::handshaking;
  result_.link->secure(std::move(tls));
  shake();
}

void dial::shake() {
  switch (result_.link->handshake()) {
  case transport::state::done:
    result_.tls = lap(tools_.meters.tls);
    return finish();
  case transport::state::want_read:
    return wait_for(tcp_socket::wait_read);
  case transport::state::want_write:
    return wait_for(tcp_socket::wait_write);
  default:
    break;
  }
  const auto fault = result_.link->fault();
  fail(fault.certificate ? attempt_error::tls_certificate
                         : attempt_error::tls_failure,
       fault.what);
}

void dial::wait_for(tcp_socket::wait_type what) {
  result_.link->socket().async_wait(what,
                                    [self = shared_from_this()](error_code) {
                                      if (self->phase_ == phase::handshaking)
                                        self->shake();
                                    });
}

void dial::tick(steady::time_point now) {
  if (now >= deadline_) {
    switch (phase_) {
    case phase::resolving:
      return fail(attempt_error::dns_unavailable, "the lookup took too long");
    case phase::connecting:
      return fail(attempt_error::connect_timeout, "no answer to the connect");
    case phase::handshaking:
      return fail(attempt_error::tls_failure, "the handshake took too long");
    case phase::over:
      return;
    }
  }
  if (phase_ == phase::connecting && now >= next_at_ && !addresses_.empty())
    connect_next();
}

void dial::cancel() {
  phase_ = phase::over;
  done_ = nullptr;
  candidates_.clear();
  result_.link.reset();
}

void dial::fail(attempt_error error, std::string detail) {
  result_.link.reset();
  result_.error = error;
  result_.detail = std::move(detail);
  finish();
}

void dial::finish() {
  phase_ = phase::over;
  candidates_.clear();
  if (result_.link)
    result_.error = attempt_error::none;
  const auto done = std::exchange(done_, nullptr);
  done(std::move(result_));
}

} // namespace postrider::net::client
