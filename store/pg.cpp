#include "store/pg.hpp"

#include "core/failpoint.hpp"
#include "store/error.hpp"
#include "store/sqlstate.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <poll.h>
#include <utility>

namespace postrider::store::pg {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The server ends a statement by itself at the statement timeout; when not
// even that arrives, the connection is given up.
constexpr milliseconds server_silence{5'000};

// libpq's messages end in a line feed and may span lines.
std::string one_line(const char* text) {
  std::string out{text == nullptr ? "" : text};
  while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
    out.pop_back();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

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

} // namespace

connection::connection(std::string url, options what)
    : url_{std::move(url)}, options_{std::move(what)} {}

void connection::connect() {
  // Later entries win: what the URL says stands before our defaults.
  const std::array keywords{"connect_timeout",
                            "keepalives_idle",
                            "keepalives_interval",
                            "keepalives_count",
                            "tcp_user_timeout",
                            "fallback_application_name",
                            "dbname",
                            "client_encoding",
                            static_cast<const char*>(nullptr)};
  const std::array values{
      "5",          "10",    "5",
      "3",          "15000", options_.application_name.c_str(),
      url_.c_str(), "UTF8",  static_cast<const char*>(nullptr)};
  prepared_.clear();
  link_.reset(PQconnectdbParams(keywords.data(), values.data(), 1));
  if (PQstatus(link_.get()) != CONNECTION_OK) {
    const auto text = one_line(PQerrorMessage(link_.get()));
    link_.reset();
    throw error{error::kind::transient, text, error_class::connection};
  }
  PQsetnonblocking(link_.get(), 1);
  // Notices are for people at a prompt.
  PQsetNoticeProcessor(
      link_.get(), [](void*, const char*) {}, nullptr);
  execute(fmt::format("set statement_timeout = {}",
                      options_.statement_timeout.count())
              .c_str());
  for (const auto& setting : options_.settings)
    execute(setting.c_str());
}

rows connection::run(const statement& what, const params& given) {
  if (!link_)
    connect();
  if (!prepared_.contains(what.name))
    prepare(what);
  const auto values = given.values();
  const auto lengths = given.lengths();
  const std::vector<int> formats(values.size(), 1);
  if (PQsendQueryPrepared(link_.get(), what.name, given.size(), values.data(),
                          lengths.data(), formats.data(), 1)
      != 1)
    fail(nullptr);
  POSTRIDER_FAILPOINT(std::string{"pg.sent."} + what.name);
  return wait();
}

void connection::prepare(const statement& what) {
  if (PQsendPrepare(link_.get(), what.name, what.sql, 0, nullptr) != 1)
    fail(nullptr);
  wait();
  prepared_.emplace(what.name);
}

void connection::execute(const char* sql) {
  if (PQsendQuery(link_.get(), sql) != 1)
    fail(nullptr);
  wait();
}

rows connection::wait() {
  const auto deadline =
      steady_clock::now() + options_.statement_timeout + server_silence;
  const auto ready = [&](short events) {
    if (poll_until(PQsocket(link_.get()), events, deadline))
      return;
    link_.reset();
    throw error{error::kind::transient,
                "the database did not answer within the statement timeout",
                error_class::timeout};
  };
  for (int left = PQflush(link_.get()); left != 0;
       left = PQflush(link_.get())) {
    if (left < 0)
      fail(nullptr);
    ready(POLLIN | POLLOUT);
    // The server may have to be read from before it reads on.
    if (PQconsumeInput(link_.get()) != 1)
      fail(nullptr);
  }
  const auto next = [&] {
    while (PQisBusy(link_.get()) != 0) {
      ready(POLLIN);
      if (PQconsumeInput(link_.get()) != 1)
        fail(nullptr);
    }
    return PQgetResult(link_.get());
  };
  rows out{next()};
  if (!out.good())
    fail(out.raw());
  // One statement has one result; the null behind it ends the exchange.
  while (PGresult* more = next())
    PQclear(more);
  return out;
}

void connection::fail(const PGresult* result) {
  const char* state = result == nullptr
                          ? nullptr
                          : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary =
      result == nullptr ? nullptr
                        : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string_view known = state == nullptr ? "" : state;
  const error failure{
      kind_of_sqlstate(known),
      one_line(primary == nullptr ? PQerrorMessage(link_.get()) : primary),
      class_of_sqlstate(known)};
  // Whatever the state of the exchange is now, a new connection is sound.
  link_.reset();
  throw failure;
}

} // namespace postrider::store::pg
