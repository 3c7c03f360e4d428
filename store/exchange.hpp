#pragma once

#include <chrono>
#include <libpq-fe.h>
#include <memory>
#include <string>

namespace postrider::store {

using result_ptr = std::unique_ptr<PGresult, void (*)(PGresult*)>;

/// One exchange with the server on a non-blocking connection. Every wait ends
/// at the deadline, whether the server answers or not: then, and when the
/// connection breaks, it throws `error` and the connection is of no use any
/// more.
class exchange {
public:
  exchange(PGconn* link, std::chrono::milliseconds within)
      : link_{link}, deadline_{std::chrono::steady_clock::now() + within} {}

  /// Until all has been sent.
  void flush();
  /// The next result, null behind the last one.
  result_ptr next();
  /// Of some statements without parameters: sends them and returns the last
  /// result, or the first one that is a failure.
  result_ptr ask(const char* sql);

private:
  void wait(short events);
  [[noreturn]] void broken();

  PGconn* link_;
  std::chrono::steady_clock::time_point deadline_;
};

/// A message of libpq, which ends in a line feed and may span lines, on one.
std::string one_line(const char* text);

} // namespace postrider::store
