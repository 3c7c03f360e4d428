#include "store/database_facts.hpp"

#include "store/session.hpp"

#include <algorithm>
#include <utility>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;

constexpr const char* facts_sql = R"(
select current_database() as name, current_user as role,
       current_setting('server_version') as version,
       current_setting('server_version_num')::int as number,
       pg_is_in_recovery()
         or current_setting('default_transaction_read_only')::bool as read_only,
       current_setting('max_connections')::int as max_connections,
       (select count(*) from pg_stat_activity
        where backend_type = 'client backend') as connections,
       to_regclass('postrider.delivery') is not null as has_schema)";

constexpr const char* unsafe_sql = R"(
select name || '=' || setting from pg_settings
where name in ('fsync', 'full_page_writes', 'synchronous_commit')
  and setting = 'off' order by name)";

constexpr const char* rights_sql = R"(
select r.verb || ' on postrider.' || c.relname
from pg_class c
cross join (values ('select'), ('insert'), ('update'), ('delete')) as r(verb)
where c.relnamespace = 'postrider'::regnamespace and c.relkind in ('r', 'p')
  and not c.relispartition and not has_table_privilege(c.oid, r.verb)
union all
-- New days are attached, which only the owner may do.
select 'to own postrider.' || c.relname
from pg_class c
where c.oid in ('postrider.event'::regclass, 'postrider.attempt'::regclass)
  and not pg_has_role(c.relowner, 'usage')
order by 1)";

constexpr const char* days_sql = R"(
select min(last) from (
  select max(to_date(right(c.relname, 8), 'YYYYMMDD'))
         - (now() at time zone 'UTC')::date as last
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent in ('postrider.event'::regclass,
                        'postrider.attempt'::regclass)
  group by i.inhparent
  having count(*) > 0) as days)";

constexpr const char* oldest_sql = R"(
select max(age) filter (where parent = 'postrider.event'::regclass) as event,
       max(age) filter (where parent = 'postrider.attempt'::regclass) as attempt
from (
  select i.inhparent as parent,
         (now() at time zone 'UTC')::date
           - to_date(right(c.relname, 8), 'YYYYMMDD') as age
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent in ('postrider.event'::regclass,
                        'postrider.attempt'::regclass)) as days)";

milliseconds now() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

std::vector<std::string> texts(const pqxx::result& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows)
    out.push_back(row[0].as<std::string>());
  return out;
}

// The shortest of a few round trips tells the clock best.
milliseconds measure_clock(pqxx::work& work) {
  std::pair best{milliseconds::max(), milliseconds{0}};
  for (int round = 0; round < 3; ++round) {
    const auto before = now();
    const milliseconds theirs{
        work.exec1("select (extract(epoch from clock_timestamp()) * 1000)"
                   "::int8")[0]
            .as<std::int64_t>()};
    const auto after = now();
    best = std::min(best,
                    std::pair{after - before, theirs - (before + after) / 2});
  }
  return best.second;
}

} // namespace

unsigned unsafe_settings(const std::string& url) {
  session link{url, "postrider janitor"};
  return link.run([](pqxx::work& work) {
    unsigned out = 0;
    for (const auto& found : texts(work.exec(unsafe_sql)))
      for (std::size_t i = 0; i < durable_settings.size(); ++i)
        if (found.starts_with(durable_settings[i]))
          out |= 1u << i;
    return out;
  });
}

std::string describe_settings(unsigned bits) {
  std::string out;
  for (std::size_t i = 0; i < durable_settings.size(); ++i)
    if (bits & 1u << i)
      out +=
          (out.empty() ? "" : ", ") + std::string{durable_settings[i]} + "=off";
  return out;
}

database_facts facts_of(const std::string& url) {
  database where{url};
  where.standby_too = true; // it is to be told from a primary
  session link{std::move(where), "postrider doctor"};
  return link.run([](pqxx::work& work) {
    database_facts out;
    const auto facts = work.exec1(facts_sql);
    out.name = facts["name"].as<std::string>();
    out.user = facts["role"].as<std::string>();
    out.version = facts["version"].as<std::string>();
    out.version = out.version.substr(0, out.version.find(' '));
    out.version_number = facts["number"].as<int>();
    out.read_only = facts["read_only"].as<bool>();
    out.connections = facts["connections"].as<int>();
    out.max_connections = facts["max_connections"].as<int>();
    out.has_schema = facts["has_schema"].as<bool>();
    out.ahead = measure_clock(work);
    out.unsafe = texts(work.exec(unsafe_sql));
    if (!out.has_schema)
      return out;
    out.missing_rights = texts(work.exec(rights_sql));
    const auto days = work.exec1(days_sql);
    if (!days[0].is_null())
      out.days_ahead = days[0].as<int>();
    const auto oldest = work.exec1(oldest_sql);
    if (!oldest["event"].is_null())
      out.oldest_event_day = oldest["event"].as<int>();
    if (!oldest["attempt"].is_null())
      out.oldest_attempt_day = oldest["attempt"].as<int>();
    return out;
  });
}

} // namespace postrider::store
