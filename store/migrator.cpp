#include "store/migrator.hpp"

#include "store/error.hpp"
#include "store/migrations.hpp"
#include "store/session.hpp"
#include "store/sqlstate.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <map>
#include <pqxx/pqxx>

namespace postrider::store {

namespace {

using namespace std::chrono_literals;

constexpr int default_ahead = 7;

struct applied {
  std::string name;
  std::string checksum;
  std::string at;
  int least; ///< a program has to know so many migrations
};

// What every transaction here starts with. The lock is one per database and
// ends with the transaction, so a pooler between us does no harm.
void enter(pqxx::work& tx) {
  tx.exec0("set local lock_timeout = '120s'");
  tx.exec0("set local statement_timeout = 0");
  tx.exec0("set local client_min_messages = warning");
  tx.exec1("select pg_advisory_xact_lock(7305452002)");
}

// Not by to_regclass: it may remember the answer from before the lock.
bool has_table(pqxx::work& tx) {
  return tx
      .exec1("select exists (select from pg_class as c "
             "join pg_namespace as n on n.oid = c.relnamespace "
             "where n.nspname = 'postrider' "
             "and c.relname = 'migration')")[0]
      .as<bool>();
}

void make_table(pqxx::work& tx) {
  if (has_table(tx))
    return;
  tx.exec0("create schema if not exists postrider");
  tx.exec0(R"(create table postrider.migration (
    number     int primary key,
    name       text not null,
    checksum   text not null,
    applied_at timestamptz not null default now()))");
}

std::map<int, applied> read(pqxx::work& tx) {
  std::map<int, applied> out;
  if (!has_table(tx))
    return out;
  for (const auto& row : tx.exec(R"(
         select number, name, checksum,
                to_char(applied_at at time zone 'UTC',
                        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                -- Not there before migration 16.
                coalesce((to_jsonb(m) ->> 'least')::int, 0)
         from postrider.migration as m order by number)"))
    out.emplace(row[0].as<int>(),
                applied{row[1].as<std::string>(), row[2].as<std::string>(),
                        row[3].as<std::string>(), row[4].as<int>()});
  return out;
}

void refuse_other_encoding(pqxx::work& tx) {
  const auto encoding = tx.exec1("show server_encoding")[0].as<std::string>();
  if (encoding != "UTF8")
    throw error{error::kind::broken,
                fmt::format("the database's encoding is {}; postrider needs "
                            "one made with `encoding 'UTF8'`",
                            encoding)};
}

// The database may be behind this binary, or ahead of it by migrations that
// only add: nodes of two versions work side by side then, and a new version can
// be taken back. It may not be beside it.
void refuse_strangers(const std::map<int, applied>& done) {
  const auto known = migrations();
  for (const auto& [number, row] : done) {
    const auto mine =
        std::find_if(known.begin(), known.end(),
                     [n = number](const auto& m) { return m.number == n; });
    if (row.least > static_cast<int>(known.size()))
      throw error{error::kind::broken,
                  fmt::format("the database has migration {} ({}), which "
                              "needs a newer postrider: this binary knows {} "
                              "migrations, and {} are needed",
                              number, row.name, known.size(), row.least)};
    if (mine != known.end() && row.checksum != mine->checksum)
      throw error{error::kind::broken,
                  fmt::format("migration {} in the database is not the one of "
                              "this binary (checksum {:.12} instead of "
                              "{:.12}): run the postrider that applied it, or "
                              "use a new database",
                              mine->name, row.checksum, mine->checksum)};
  }
}

// Whether it was applied now. What another node has done meanwhile is seen
// after the lock and left alone.
bool apply(pqxx::work& tx, const migration& next) {
  enter(tx);
  make_table(tx);
  const auto done = read(tx);
  refuse_strangers(done);
  if (done.contains(next.number))
    return false;
  try {
    tx.exec(std::string{next.sql});
  } catch (const pqxx::sql_error& failure) {
    throw error_of_sqlstate(
        failure.sqlstate(),
        fmt::format("migration {}: {}", next.name, failure.what()));
  }
  tx.exec_params0("insert into postrider.migration (number, name, checksum) "
                  "values ($1, $2, $3)",
                  next.number, std::string{next.name},
                  std::string{next.checksum});
  return true;
}

// `within` is for all that is done there: statements have no limit of their
// own, and may wait for a lock first.
session connect(const std::string& url, std::chrono::minutes within) {
  database where{url};
  where.silence = within;
  return {std::move(where), "postrider migrate"};
}

} // namespace

migrator::migrator(std::string url) : url_{std::move(url)} {}

std::vector<std::string> migrator::up() {
  auto link = connect(url_, 60min);
  link.run([](pqxx::work& tx) {
    refuse_other_encoding(tx);
    refuse_strangers(read(tx));
  });
  std::vector<std::string> names;
  for (const auto& next : migrations())
    if (link.run([&](pqxx::work& tx) { return apply(tx, next); }))
      names.emplace_back(next.name);
  make_partitions(default_ahead);
  return names;
}

std::vector<migration_status> migrator::status() {
  return connect(url_, 3min).run([](pqxx::work& tx) {
    auto done = read(tx);
    std::vector<migration_status> out;
    for (const auto& mine : migrations()) {
      const auto row = done.extract(mine.number);
      out.push_back({mine.number, std::string{mine.name}, !row.empty(),
                     row.empty() ? "" : row.mapped().at});
    }
    for (const auto& [number, row] : done)
      out.push_back({number, row.name, true, row.at});
    return out;
  });
}

void migrator::check() {
  connect(url_, 3min).run([](pqxx::work& tx) {
    const auto done = read(tx);
    refuse_strangers(done);
    const auto known = migrations();
    const auto there =
        std::count_if(known.begin(), known.end(), [&](const auto& one) {
          return done.contains(one.number);
        });
    if (static_cast<std::size_t>(there) < known.size())
      throw error{error::kind::broken,
                  fmt::format("the database has {} of {} migrations: run "
                              "`postrider migrate up`",
                              there, known.size())};
  });
}

void migrator::make_partitions(int ahead) {
  connect(url_, 3min).run([&](pqxx::work& tx) {
    enter(tx);
    tx.exec_params("select postrider.make_partitions($1::int)", ahead);
  });
}

} // namespace postrider::store
