#include "store/exchange.hpp"

#include "store/error.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Waits until the socket is ready. False at the deadline.
bool poll_until(int socket, short events, steady_clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(left.count()));
    if (ready > 0)
      return true;
    if (ready < 0 && errno != EINTR)
      return false;
  }
}

bool is_good(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

} // namespace

std::string one_line(const char* text) {
  std::string out{text == nullptr ? "" : text};
  while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
    out.pop_back();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

void exchange::flush() {
  for (int left = PQflush(link_); left != 0; left = PQflush(link_)) {
    if (left < 0)
      broken();
    wait(POLLIN | POLLOUT);
    // The server may have to be read from before it reads on.
    if (PQconsumeInput(link_) != 1)
      broken();
  }
}

result_ptr exchange::next() {
  while (PQisBusy(link_) != 0) {
    wait(POLLIN);
    if (PQconsumeInput(link_) != 1)
      broken();
  }
  return {PQgetResult(link_), &PQclear};
}

result_ptr exchange::ask(const char* sql) {
  if (PQsendQuery(link_, sql) != 1)
    broken();
  flush();
  result_ptr out{nullptr, &PQclear};
  while (auto one = next())
    if (!out || is_good(out.get()))
      out = std::move(one);
  return out;
}

void exchange::wait(short events) {
  if (!poll_until(PQsocket(link_), events, deadline_))
    throw error{error::kind::transient,
                "the database did not answer within the statement timeout",
                error_class::timeout};
}

void exchange::broken() {
  throw error{error::kind::transient, one_line(PQerrorMessage(link_)),
              error_class::connection};
}

} // namespace postrider::store
