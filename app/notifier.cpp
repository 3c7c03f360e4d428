#include "app/notifier.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace postrider::app {

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (fault != std::errc{} || end != text.data() + text.size() || out <= 0)
    return std::nullopt;
  return out;
}

/// Empty for what is no address of a socket.
std::string address_of(std::string_view name) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() > sizeof out.sun_path - 1
      || (name.front() != '/' && name.front() != '@'))
    return {};
  std::memcpy(out.sun_path, name.data(), name.size());
  // The abstract namespace; no zero ends such a name.
  const bool abstract = name.front() == '@';
  if (abstract)
    out.sun_path[0] = '\0';
  std::string bytes(
      offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1), '\0');
  std::memcpy(bytes.data(), &out, bytes.size());
  return bytes;
}

} // namespace

notifier::notifier() : address_{address_of(variable("NOTIFY_SOCKET"))} {
  if (address_.empty())
    return;
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto whose = number(variable("WATCHDOG_PID"));
  if (whose && *whose != ::getpid())
    return;
  if (const auto time = number(variable("WATCHDOG_USEC")))
    watched_ = std::chrono::microseconds{*time};
}

notifier::~notifier() {
  if (socket_ >= 0)
    ::close(socket_);
}

bool notifier::send(std::string_view text) {
  return socket_ >= 0
         && ::sendto(socket_, text.data(), text.size(),
                     MSG_NOSIGNAL | MSG_DONTWAIT,
                     reinterpret_cast<const sockaddr*>(address_.data()),
                     static_cast<socklen_t>(address_.size()))
                >= 0;
}

void notifier::ready() {
  send("READY=1\nMAINPID=" + std::to_string(::getpid()));
}

void notifier::reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  send("RELOADING=1\nMONOTONIC_USEC="
       + std::to_string(now.tv_sec * 1'000'000 + now.tv_nsec / 1'000));
}

void notifier::stopping() {
  send("STOPPING=1");
}

void notifier::status(const std::string& text) {
  if (text != said_ && send("STATUS=" + text))
    said_ = text;
}

void notifier::alive() {
  send("WATCHDOG=1");
}

} // namespace postrider::app
