#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace postrider::net {

/// A request as it stands in the sink's buffer: valid during the call only.
struct sink_request {
  std::string_view target;
  std::string_view head; ///< the header lines
  std::string_view body;

  /// The value of the first header with this name, written in lower case;
  /// empty when there is none.
  std::string_view header(std::string_view lower_case) const;
};

/// What a request gets.
enum class sink_answer : std::uint8_t {
  done,        ///< 204
  unavailable, ///< 503
  none,        ///< nothing at all; the connection stays open
  later,       ///< 204 once `release` is called; one request at a time
};

/// Takes POSTs at the lowest cost that can be had: one thread, one epoll loop,
/// requests parsed in place, answers without a body. It trusts its peer
/// (it is no server for the open network), reads bodies by `Content-Length`
/// alone, and closes a connection whose request it can't read or that is
/// larger than 16 MiB.
class sink {
public:
  /// Called on the loop's thread for each request, and says what it gets; must
  /// not block or throw.
  using observer = std::function<sink_answer(const sink_request&)>;

  /// Listens at a free port of this IPv4 address and serves from now on;
  /// throws `std::runtime_error` when it can't.
  sink(const std::string& address, observer seen);
  /// Closes everything and joins the thread.
  ~sink();
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  std::uint16_t port() const noexcept;
  /// Answers what waits for it. From any thread.
  void release();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::net
