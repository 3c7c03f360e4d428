#include "store/retention.hpp"

#include "core/failpoint.hpp"
#include "store/error.hpp"
#include "store/retention_lock.hpp"
#include "store/session.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;

/// The fault tests age everything by this: a day is long.
const char* clocked(const char* sql) {
  POSTRIDER_IF_FAILS(
      "retention.later",
      return failpoint::altered(sql, "now()", "(now() + interval '400 days')"));
  return sql;
}

constexpr const char* look_sql = R"(
select i.inhparent = 'postrider.event'::regclass as event,
       to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01' as day,
       floor(extract(epoch from now()) * 1000)::int8 as now
from pg_inherits i
join pg_class c on c.oid = i.inhrelid
where i.inhparent in ('postrider.event'::regclass,
                      'postrider.attempt'::regclass))";

// Reads the queue once: its rows are narrow, and it has no index that would
// cost each publish something for the sake of this.
constexpr const char* open_sql = R"(
select exists (select from postrider.delivery d
               where d.event >= postrider.uuid_at($1::date::timestamp at time zone 'UTC')
                 and d.event < postrider.uuid_at(($1::date + 1)::timestamp at time zone 'UTC')))";

// By the index of what was not delivered. One that was retried and ended again
// later is judged by that end.
constexpr const char* letters_sql = R"(
select exists (
  select from postrider.attempt a
  where a.final and a.outcome <> 'succeeded'
    and a.at >= coalesce($2::date::timestamp at time zone 'UTC', '-infinity')
    and a.event >= postrider.uuid_at($1::date::timestamp at time zone 'UTC')
    and a.event < postrider.uuid_at(($1::date + 1)::timestamp at time zone 'UTC')
    and not exists (select from postrider.attempt l
                    where l.delivery = a.delivery and l.final
                      and l.number > a.number)))";

// Those that are locked belong to a repeat that is under way.
constexpr const char* keys_sql = R"(
delete from postrider.event_key
where ctid = any(array(
  select ctid from postrider.event_key
  where created_at < now() - $1::int8 * interval '1 ms'
  order by created_at limit $2::int4 for update skip locked)))";

std::string text_of(day which) {
  const std::chrono::year_month_day date{which};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

bool is_there(pqxx::work& work, const std::string& table) {
  return work.exec_params1("select to_regclass($1) is not null", table)[0]
      .as<bool>();
}

std::string table_of(const char* parent, day which) {
  auto date = text_of(which);
  std::erase(date, '-');
  return fmt::format("postrider.{}_{}", parent, date);
}

} // namespace

class retention::impl {
public:
  explicit impl(database where)
      : link_{std::move(where), "postrider retention"} {}

  session& link() { return link_; }

  /// Runs `job` as the only one, unless somebody holds what it wants.
  template <class Job>
  answer alone(Job job) {
    try {
      return link_.run([&](pqxx::work& work) {
        work.exec0("set local lock_timeout = '100ms'");
        return work.exec1(try_retention_lock)[0].as<bool>() ? job(work)
                                                            : answer::busy;
      });
    } catch (const error& fault) {
      if (fault.what_class() == error_class::timeout)
        return answer::busy;
      throw;
    }
  }

  day_need need_of(pqxx::work& work, day which, std::optional<day> from) {
    POSTRIDER_IF_FAILS("defect.cleaner_by_age", return day_need::none);
    const auto date = text_of(which);
    if (work.exec_params1(open_sql, date)[0].as<bool>())
      return day_need::open;
    // Attempts are many, and those that are looked for have an index.
    work.exec0("set local enable_seqscan = off");
    work.exec0("set local jit = off");
    std::optional<std::string> since;
    if (from)
      since = text_of(*from);
    return work.exec_params1(letters_sql, date, since)[0].as<bool>()
               ? day_need::dead_letters
               : day_need::none;
  }

  day_need need = day_need::none;

private:
  session link_;
};

retention::retention(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}
retention::~retention() = default;

day_need retention::need() const {
  return impl_->need;
}

retention::stock retention::look() {
  return impl_->link().run([](pqxx::work& work) {
    stock out;
    for (const auto& row : work.exec(clocked(look_sql))) {
      (row["event"].as<bool>() ? out.events : out.attempts)
          .push_back(day{std::chrono::days{row["day"].as<int>()}});
      out.now = std::chrono::sys_time<milliseconds>{
          milliseconds{row["now"].as<std::int64_t>()}};
    }
    return out;
  });
}

retention::answer retention::drop_events(day which,
                                         std::optional<day> letters_from) {
  // A look without any lock first: most days that are kept are kept for long.
  impl_->need = impl_->link().run([&](pqxx::work& work) {
    return impl_->need_of(work, which, letters_from);
  });
  if (impl_->need != day_need::none)
    return answer::needed;
  return impl_->alone([&](pqxx::work& work) {
    const auto table = table_of("event", which);
    if (!is_there(work, table))
      return answer::gone; // by another node
    // Whoever has written an event of that day has committed, and with it its
    // deliveries. Nobody puts a dead letter back: that takes the lock that is
    // held here.
    work.exec0(fmt::format("lock table {} in share mode", table));
    impl_->need = impl_->need_of(work, which, letters_from);
    if (impl_->need != day_need::none)
      return answer::needed;
    POSTRIDER_FAILPOINT("retention.before_drop");
    work.exec0(fmt::format("drop table {}", table));
    return answer::gone;
  });
}

retention::answer retention::drop_attempts(day which) {
  return impl_->alone([&](pqxx::work& work) {
    work.exec0(
        fmt::format("drop table if exists {}", table_of("attempt", which)));
    return answer::gone;
  });
}

std::optional<std::int64_t> retention::drop_keys(milliseconds age, int limit) {
  std::int64_t dropped = 0;
  const auto how = impl_->alone([&](pqxx::work& work) {
    dropped = work.exec_params0(clocked(keys_sql), age.count(), limit)
                  .affected_rows();
    return answer::gone;
  });
  return how == answer::gone ? std::optional{dropped} : std::nullopt;
}

} // namespace postrider::store
