#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Statements that write fail by dice, each time with another state.
void install_dice(const platform& here) {
  here.sql(R"(
create function public.dice() returns trigger language plpgsql as $$
declare states constant text[] := array['40001', '40P01', '57014', '57P01',
  '53300', '53100', '25006', '08006', 'XX000', '55P03'];
declare state text := states[1 + floor(random() * 10)];
begin
  if random() < 0.05 then
    raise 'injected' using errcode = state;
  end if;
  return null;
end $$;
do $do$ declare t text; begin
  foreach t in array array['event', 'delivery', 'attempt', 'partition', 'node']
  loop
    execute format('create trigger dice after insert or update or delete on '
                   'postrider.%I for each statement execute function '
                   'public.dice()', t);
  end loop;
end $do$;
select 1)");
}

// B-16: each class has its rule, and none of them costs an attempt, an event or
// the order.
TEST(SqlErrors, OfEveryClassCostNoAttempt) {
  const auto events = long_run() ? 50'000u : 300u;
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  bench.endpoint();
  install_dice(bench.here());
  producers load{bench, 3};
  EXPECT_TRUE(bench.shop().wait_for(events, long_run() ? 30min : 60s))
      << bench.node().log();
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded'"),
            "0");
  // Or nothing was injected.
  EXPECT_NE(bench.node().log().find("injected"), std::string::npos);
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-16", "5 % of the statements fail", 1, verdicts);
}

} // namespace
} // namespace postrider::testing
