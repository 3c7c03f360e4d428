#include "store/pg.hpp"

#include "core/failpoint.hpp"
#include "store/error.hpp"
#include "store/exchange.hpp"
#include "store/sqlstate.hpp"

#include <utility>

namespace postrider::store::pg {

namespace {

// How often a statement is run that others have rolled back.
constexpr int tries = 4;

} // namespace

connection::connection(database where, options what)
    : where_{std::move(where)}, options_{std::move(what)} {}

void connection::connect() {
  prepared_.clear();
  link_ = open_link(where_, options_.application_name, options_.settings);
  ++opened_;
}

rows connection::run(const statement& what, const params& given) {
  for (int left = tries - 1;; --left) {
    try {
      return run_once(what, given);
    } catch (const error& fault) {
      if (left == 0 || fault.what_remedy() != remedy::again)
        throw;
    }
  }
}

rows connection::run_once(const statement& what, const params& given) {
  if (link_.handle && where_.known->overtaken(link_.timeline))
    link_.handle.reset();
  if (!link_.handle)
    connect();
  if (!prepared_.contains(what.name))
    prepare(what);
  const auto values = given.values();
  const auto lengths = given.lengths();
  const std::vector<int> formats(values.size(), 1);
  if (PQsendQueryPrepared(link_.handle.get(), what.name, given.size(),
                          values.data(), lengths.data(), formats.data(), 1)
      != 1)
    fail(nullptr);
  POSTRIDER_FAILPOINT(std::string{"pg.sent."} + what.name);
  return wait();
}

void connection::prepare(const statement& what) {
  if (PQsendPrepare(link_.handle.get(), what.name, what.sql, 0, nullptr) != 1)
    fail(nullptr);
  wait();
  prepared_.emplace(what.name);
}

rows connection::wait() {
  exchange with{link_.handle.get(), where_.statement_timeout + where_.silence};
  rows out{nullptr};
  try {
    with.flush();
    out = rows{with.next().release()};
    // One statement has one result; the null behind it ends the exchange.
    while (with.next()) {
    }
  } catch (const error& fault) {
    if (fault.what_class() == error_class::timeout)
      cancel(where_, link_);
    link_.handle.reset();
    throw;
  }
  if (!out.good())
    fail(out.raw());
  if (std::exchange(*link_.in_doubt, false))
    throw error{error::kind::transient,
                "the database gave up waiting for its synchronous standby"};
  return out;
}

void connection::fail(const PGresult* result) {
  const char* state = result == nullptr
                          ? nullptr
                          : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary =
      result == nullptr ? nullptr
                        : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const error failure = error_of_sqlstate(
      state == nullptr ? "" : state,
      one_line(primary == nullptr ? PQerrorMessage(link_.handle.get())
                                  : primary));
  if (failure.what_remedy() == remedy::reconnect || result == nullptr
      || PQstatus(link_.handle.get()) != CONNECTION_OK)
    link_.handle.reset();
  throw failure;
}

} // namespace postrider::store::pg
