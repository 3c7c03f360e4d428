#include "net/sink_connection.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

namespace postrider::net {

namespace {

constexpr std::size_t request_limit = 16U << 20;
constexpr std::size_t read_step = 16U << 10;
constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";

std::string_view bytes_of(sink_answer answer) {
  switch (answer) {
  case sink_answer::done:
    return "HTTP/1.1 204 No Content\r\n\r\n";
  case sink_answer::unavailable:
    return "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";
  case sink_answer::none:
  case sink_answer::later:
    break;
  }
  return {};
}

/// The length of the body; nothing valid when it can't be read.
bool body_length(const sink_request& request, std::size_t& length) {
  const auto text = request.header("content-length");
  length = 0;
  if (text.empty())
    return request.header("transfer-encoding").empty();
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, length);
  return fault == std::errc{} && stop == end && length < request_limit;
}

/// Answers are small: a socket that has no room for one is rare and waited
/// for.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent =
        ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR)
      return false;
    pollfd room{socket, POLLOUT, 0};
    if (::poll(&room, 1, 1000) == 0)
      return false;
  }
  return true;
}

} // namespace

std::string_view sink_request::header(std::string_view lower_case) const {
  for (auto rest = head; !rest.empty();) {
    const auto end = rest.find(line_end);
    const auto line = rest.substr(0, end);
    if (line.size() > lower_case.size() && line[lower_case.size()] == ':'
        && ::strncasecmp(line.data(), lower_case.data(), lower_case.size())
               == 0) {
      auto value = line.substr(lower_case.size() + 1);
      while (!value.empty() && value.front() == ' ')
        value.remove_prefix(1);
      return value;
    }
    if (end == std::string_view::npos)
      break;
    rest.remove_prefix(end + line_end.size());
  }
  return {};
}

bool sink_connection::serve(int socket, const sink::observer& seen) {
  if (in_.size() < used_ + read_step)
    in_.resize(used_ + read_step);
  const auto got = ::recv(socket, in_.data() + used_, in_.size() - used_, 0);
  if (got < 0)
    return errno == EAGAIN || errno == EINTR;
  if (got == 0)
    return false;
  used_ += static_cast<std::size_t>(got);
  out_.clear();
  const bool readable = take_requests(seen);
  return send_all(socket, out_) && readable;
}

void sink_connection::release(int socket) {
  // One that can't be answered is noticed when it is read from.
  for (; later_ > 0; --later_)
    send_all(socket, bytes_of(sink_answer::done));
}

bool sink_connection::take_requests(const sink::observer& seen) {
  const std::string_view all{in_.data(), used_};
  std::size_t at = 0;
  for (;;) {
    const auto rest = all.substr(at);
    const auto end = rest.find(head_end);
    if (end == std::string_view::npos)
      break;
    const auto first_line = rest.find(line_end);
    sink_request request;
    if (first_line < end)
      request.head = rest.substr(first_line + line_end.size(),
                                 end - first_line - line_end.size());
    std::size_t length = 0;
    if (!rest.starts_with("POST ") || !body_length(request, length))
      return false;
    const auto body = end + head_end.size();
    if (rest.size() < body + length)
      break;
    const auto target = rest.substr(5, first_line - 5);
    request.target = target.substr(0, target.find(' '));
    request.body = rest.substr(body, length);
    const auto answer = seen(request);
    later_ += answer == sink_answer::later ? 1 : 0;
    out_ += bytes_of(answer);
    at += body + length;
  }
  used_ -= at;
  std::memmove(in_.data(), in_.data() + at, used_);
  return used_ < request_limit;
}

} // namespace postrider::net
