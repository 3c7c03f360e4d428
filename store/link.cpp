#include "store/link.hpp"

#include "store/error.hpp"
#include "store/exchange.hpp"
#include "store/hosts.hpp"
#include "store/sqlstate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace postrider::store {

namespace {

using namespace std::chrono_literals;

// Beyond what libpq itself allows for the connection.
constexpr std::chrono::milliseconds greeting_time{5'000};

// What the cancelled wait for a synchronous standby is known by: its SQLSTATE
// is that of any warning, and its text is translated.
constexpr std::string_view standby_wait = "SyncRepWaitForLSN";

void take_notice(void* in_doubt, const PGresult* notice) {
  const char* from = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  if (from != nullptr && from == standby_wait)
    *static_cast<bool*>(in_doubt) = true;
}

// A server that answers and is not the one that is wanted.
struct other_server : error {
  explicit other_server(const std::string& why)
      : error{kind::transient, why, error_class::connection} {}
};

[[noreturn]] void refuse(const std::string& why) {
  throw error{error::kind::transient, why, error_class::connection};
}

[[noreturn]] void refuse(PGconn* link, const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  throw error_of_sqlstate(state == nullptr ? "" : state,
                          one_line(PQerrorMessage(link)));
}

std::unique_ptr<PGconn, void (*)(PGconn*)>
connect(const settings_map& settings) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : settings) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<PGconn, void (*)(PGconn*)> out{
      PQconnectdbParams(keywords.data(), values.data(), 0), &PQfinish};
  if (PQstatus(out.get()) != CONNECTION_OK)
    refuse(one_line(PQerrorMessage(out.get())));
  return out;
}

void set(PGconn* link, const database& where,
         const std::vector<std::string>& settings) {
  auto sql =
      fmt::format("set statement_timeout = {}; set lock_timeout = {}",
                  where.statement_timeout.count(), where.lock_timeout.count());
  for (const auto& one : settings)
    sql += "; " + one;
  const auto done = exchange{link, greeting_time}.ask(sql.c_str());
  if (PQresultStatus(done.get()) != PGRES_COMMAND_OK)
    refuse(link, done.get());
}

// Nothing where the server does not tell: some that are rented don't.
std::optional<server_identity> identity_of(PGconn* link) {
  const auto told = exchange{link, greeting_time}.ask(
      "select system_identifier, "
      "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int "
      "from pg_control_system()");
  if (PQresultStatus(told.get()) != PGRES_TUPLES_OK
      || PQntuples(told.get()) != 1)
    return std::nullopt;
  return server_identity{
      PQgetvalue(told.get(), 0, 0),
      static_cast<std::uint32_t>(std::stoul(PQgetvalue(told.get(), 0, 1)))};
}

bool is_standby(PGconn* link) {
  const char* said = PQparameterStatus(link, "in_hot_standby");
  return said != nullptr && std::string_view{said} == "on";
}

link greet(const database& where, const settings_map& to,
           const std::vector<std::string>& settings) {
  link out;
  out.handle = connect(to);
  auto* handle = out.handle.get();
  out.host = PQhost(handle);
  out.port = PQport(handle);
  out.backend = PQbackendPID(handle);
  PQsetnonblocking(handle, 1);
  PQsetNoticeReceiver(handle, take_notice, out.in_doubt.get());
  if (is_standby(handle)) {
    if (!where.standby_too)
      throw other_server{"the server is a standby; the primary is awaited"};
  } else if (const auto found = identity_of(handle)) {
    if (const auto why = where.known->judge(*found); !why.empty())
      throw other_server{why};
    out.timeline = found->timeline;
  }
  set(handle, where, settings);
  return out;
}

} // namespace

link open_link(const database& where, const std::string& name,
               const std::vector<std::string>& settings) {
  auto to = connection_settings(where.url, name);
  if (where.standby_too)
    to.erase("target_session_attrs");
  // libpq takes the first host that will do by its own rules. When ours refuse
  // that one, the others come first for once.
  for (int left = count_hosts(to); left > 1; --left) {
    try {
      return greet(where, to, settings);
    } catch (const other_server&) {
      to = rotated(std::move(to));
    }
  }
  return greet(where, to, settings);
}

void cancel(const database& where, const link& given_up) noexcept {
  try {
    auto to = connection_settings(where.url, "postrider cancel");
    to["connect_timeout"] = "2";
    to["host"] = given_up.host;
    to["port"] = given_up.port;
    to.erase("hostaddr");
    to.erase("target_session_attrs");
    const auto other = connect(to);
    PQsetnonblocking(other.get(), 1);
    // Ours still: its number is not given to another before it has ended.
    exchange{other.get(), 2s}.ask(
        fmt::format("select pg_cancel_backend({})", given_up.backend).c_str());
  } catch (const std::exception&) {
    // Then the server is gone, and whatever ran there with it.
  }
}

} // namespace postrider::store
