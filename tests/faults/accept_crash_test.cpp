#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

struct point {
  const char* name; ///< of the failpoint; null: the healthy twin
  bool kill_backend = false;
};

/// While a row is being inserted its transaction can be broken off.
constexpr const char* slow_insert =
    "create function public.dawdle() returns trigger language plpgsql as "
    "$$ begin perform pg_sleep(0.2); return new; end $$; "
    "create trigger dawdle after insert on postrider.event "
    "for each row execute function public.dawdle(); select 1";

constexpr const char* end_backends =
    "select count(pg_terminate_backend(pid)) from pg_stat_activity "
    "where datname = current_database() "
    "and application_name = 'postrider ingest'";

/// Sends until the node is gone; the key that was not accepted is the next.
int send_until_it_dies(fault_bench& bench, int from, int upto) {
  while (from < upto && bench.node().wait(0ms) < 0) {
    const auto status = bench.send(fmt::format("k{}", from));
    from += status == 200 || status == 201;
  }
  return from;
}

void crash_at(const point& where, int hits) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  for (int i = 0; i < 2; ++i)
    bench.endpoint();
  if (where.kill_backend)
    bench.here().sql(slow_insert);
  auto dice = dice_for(std::hash<std::string>{}(where.name ? where.name : ""));
  bench.kill(bench.node(), bench.name());
  int next = 0;
  for (int hit = 0; where.name && hit < hits; ++hit) {
    bench.start(fmt::format("{}=crash(1,{})", where.name, 1 + dice() % 3), {},
                false);
    next = send_until_it_dies(bench, next, next + 100);
    if (where.kill_backend)
      bench.here().sql(end_backends);
    EXPECT_EQ(bench.node().wait(), 128 + SIGKILL) << where.name;
    bench.mark("crash", bench.name());
  }
  bench.start();
  for (int i = 0; i < 3; ++i, ++next)
    EXPECT_TRUE(bench.insist(fmt::format("k{}", next)));
  EXPECT_TRUE(bench.drained(20s));
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I1", "unknown"), 0) << "all were repeated";
  put_on_record("A-01",
                where.kill_backend ? "crash, insert broken off"
                : where.name       ? fmt::format("crash at {}", where.name)
                                   : "none",
                where.name ? hits : 0, verdicts);
}

// A-01, ING-11, S3.8: no success without the row, and one event for each key,
// wherever the node dies while it accepts.
TEST(AcceptCrash, LosesNothingAndStoresEachKeyOnce) {
  const int hits = long_run() ? 200 : 3;
  in_parallel<point>({{nullptr},
                      {"ingest.before_insert"},
                      {"pg.sent.ingest_one"},
                      {"pg.sent.ingest_one", true},
                      {"ingest.committed"},
                      {"server.wrote_201"}},
                     [&](const point& where) { crash_at(where, hits); });
}

} // namespace
} // namespace postrider::testing
