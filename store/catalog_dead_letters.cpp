#include "store/dead_letter_query.hpp"
#include "store/put_back.hpp"
#include "store/retention_lock.hpp"

#include <fmt/core.h>

namespace postrider::store {

namespace {

constexpr int most_groups = 250;

// Each chunk holds an advisory lock for each of its rows; the server has room
// for some thousands in all.
constexpr int chunk = 500;
constexpr int chunks_at_once = 10;

// Turns are taken as by `retry` of one delivery, in the order of their ids.
constexpr const char* choose_sql = R"(
select c.delivery, c.partition,
       pg_advisory_xact_lock(7305452, (c.delivery & 2147483647)::int4)
from (select a.delivery, a.partition from postrider.attempt a
      where {} and a.delivery > {}::int8
        and a.at <= timestamptz 'epoch' + {}::int8 * interval '1 us'
      order by a.delivery limit {}) c)";

// By statements of their own, which see what others did before the turn came:
// what is no dead letter any more is left alone.
const std::string put_back_sql =
    put_back(R"(where a.delivery = any({}::int8[]) and {}
on conflict do nothing)");

constexpr const char* purge_sql = R"(
with gone as materialized (
  select a.delivery, a.partition from postrider.attempt a
  where a.delivery = any({}::int8[]) and {}
), removed as (
  delete from postrider.attempt a using gone g
  where a.delivery = g.delivery and a.partition = g.partition
  returning a.final
)
select (select count(*) from gone) as done, (select count(*) from removed))";

dead_letter_group read_group(const pqxx::row& row) {
  return {id_of(row["endpoint"]), text_of(row["tenant"]),
          text_of(row["error"]),  row["n"].as<std::int64_t>(),
          time_of(row["oldest"]), time_of(row["newest"])};
}

} // namespace

dead_letter_summary catalog::dead_letters(const dead_letter_filter& filter) {
  const dead_letter_query those{filter};
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    work.exec0("set local jit = off");
    return those.run(
        work,
        fmt::format(
            "with groups as (select a.endpoint, "
            "postrider.failure(a.status, a.error, a.reason) as error, "
            "count(*) as n, min(a.at) as oldest, max(a.at) as newest "
            "from postrider.attempt a where {} group by 1, 2) "
            "select g.n, g.error, e.public_id as endpoint, e.tenant, "
            "floor(extract(epoch from g.oldest) * 1000)::int8 as oldest, "
            "floor(extract(epoch from g.newest) * 1000)::int8 as newest, "
            "(select sum(n) from groups)::int8 as total, "
            "(select count(*) from groups) as groups "
            "from groups g join postrider.endpoint e on e.id = g.endpoint "
            "order by g.n desc, e.id, g.error limit {}",
            those.condition(), most_groups));
  });
  dead_letter_summary out;
  for (const auto& row : rows) {
    out.count = row["total"].as<std::int64_t>();
    out.groups = row["groups"].as<std::int64_t>();
    out.first.push_back(read_group(row));
  }
  return out;
}

std::optional<dead_letter_place>
catalog::count_dead_letters(const dead_letter_filter& filter,
                            std::int64_t expected, std::int64_t& found) {
  const dead_letter_query those{filter};
  const auto row = impl_->link.run([&](pqxx::work& work) {
    work.exec0("set local jit = off");
    return those.run(
        work, fmt::format("select count(*) as n, "
                          "(extract(epoch from now()) * 1000000)::int8 as at "
                          "from postrider.attempt a where {}",
                          those.condition()))[0];
  });
  found = row["n"].as<std::int64_t>();
  if (found != expected)
    return std::nullopt;
  return dead_letter_place{row["at"].as<std::int64_t>(), 0};
}

dead_letter_progress
catalog::treat_dead_letters(dead_letter_action action,
                            const dead_letter_filter& filter,
                            const dead_letter_place& from) {
  dead_letter_progress out;
  out.next = from;
  for (int round = 0; round < chunks_at_once && out.next; ++round)
    impl_->link.run([&](pqxx::work& work) {
      work.exec(share_retention_lock);
      dead_letter_query chosen{filter};
      const auto after = chosen.bind(std::to_string(out.next->delivery));
      const auto moment = chosen.bind(std::to_string(out.next->moment));
      const auto rows = chosen.run(work, fmt::format(fmt::runtime(choose_sql),
                                                     chosen.condition(), after,
                                                     moment, chunk));
      std::vector<std::int64_t> ids;
      for (const auto& row : rows)
        ids.push_back(row["delivery"].as<std::int64_t>());
      dead_letter_filter still;
      still.reason = filter.reason;
      dead_letter_query those{still};
      const auto listed = those.bind(number_array(ids));
      const auto treated = those.run(
          work, fmt::format(fmt::runtime(action == dead_letter_action::retry
                                             ? put_back_sql
                                             : purge_sql),
                            listed, those.condition()));
      const auto done = action == dead_letter_action::retry
                            ? static_cast<std::int64_t>(treated.affected_rows())
                            : treated[0]["done"].as<std::int64_t>();
      out.done += done;
      out.skipped += std::ssize(ids) - done;
      if (std::ssize(ids) < chunk)
        out.next.reset();
      else
        out.next->delivery = ids.back();
    });
  return out;
}

} // namespace postrider::store
