#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics_page.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A wall clock that is wrong for one process and can be set while it runs.
/// The monotonic clock is left alone.
class wrong_clock {
public:
  explicit wrong_clock(long seconds)
      : file_{std::filesystem::temp_directory_path()
              / fmt::format("postrider-clock-{}-{}", ::getpid(), ++made_)} {
    set(seconds);
  }
  ~wrong_clock() { std::filesystem::remove(file_); }

  void set(long seconds) {
    // At once: a reader must not see half of it.
    const auto next = file_.string() + ".new";
    std::ofstream{next} << fmt::format("{:+}", seconds);
    std::filesystem::rename(next, file_);
  }
  std::map<std::string, std::string> environment() const {
    return {{"$LD_PRELOAD", POSTRIDER_FAKETIME},
            {"$FAKETIME_TIMESTAMP_FILE", file_.string()},
            {"$FAKETIME_NO_CACHE", "1"},
            {"$FAKETIME_DONT_FAKE_MONOTONIC", "1"},
            {"$DONT_FAKE_MONOTONIC", "1"}};
  }

private:
  static inline int made_ = 0;
  std::filesystem::path file_;
};

bool no_faketime() {
  return std::string{POSTRIDER_FAKETIME}.empty()
         || !std::filesystem::exists(POSTRIDER_FAKETIME);
}

std::string changes_of_hands(fault_bench& bench) {
  return bench.here().sql("select count(*) from public.fence_log");
}

/// Nodes that are not ready because of their clocks serve all the same.
void wait_for_share(fault_bench& bench, int nodes) {
  EXPECT_TRUE(eventually([&] {
    return bench.here().sql("select count(distinct owner) = "
                            + std::to_string(nodes)
                            + " and count(owner) = 256 and max(c) - min(c) < 3 "
                              "from (select owner, count(*) over (partition by "
                              "owner) as c from postrider.partition) p")
           == "t";
  })) << bench.node().log();
}

// F-02, LEASE-03: three nodes ten minutes apart. Leases are judged by the
// database's clock alone: none is taken before its end.
TEST(WrongClocks, OfNodesStealNoLeaseAndRepeatNothing) {
  if (no_faketime())
    GTEST_SKIP() << "libfaketime is not installed";
  fault_bench bench{[](const arrival&) { return answer(204); }};
  const wrong_clock ahead{600};
  const wrong_clock behind{-600};
  bench.start("", {{"DELIVERY__LEASE", "3s"}});
  for (const auto* clock : {&ahead, &behind}) {
    auto settings = clock->environment();
    settings["DELIVERY__LEASE"] = "3s";
    bench.start("", settings, false);
  }
  bench.endpoint();
  bench.endpoint();
  wait_for_share(bench, 3);
  const auto settled = changes_of_hands(bench);
  producers load{bench, 3, "p", 2ms};
  std::this_thread::sleep_for(long_run() ? 300s : 4s);
  EXPECT_GT(load.stop(), 0);
  EXPECT_EQ(changes_of_hands(bench), settled);
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_NE(bench.here().nodes()[i]->log().find("see to its time service"),
              std::string::npos);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I2", "U1") + number_of(verdicts, "I2", "U2"),
            0);
  put_on_record("F-02", "nodes ten minutes apart", 1, verdicts);
}

/// When each attempt of each delivery arrived, and the time it was signed with.
struct seen_attempts {
  std::mutex mutex;
  std::map<std::string, std::vector<std::int64_t>> at; ///< ms, monotonic
  std::vector<long> signed_off; ///< against our clock, in seconds

  script note(const arrival& got) {
    using namespace std::chrono;
    const std::lock_guard lock{mutex};
    auto& mine = at[got.find("webhook-id")];
    mine.push_back(
        duration_cast<milliseconds>(steady_clock::now().time_since_epoch())
            .count());
    signed_off.push_back(
        std::stol(got.find("webhook-timestamp"))
        - static_cast<long>(
            duration_cast<seconds>(system_clock::now().time_since_epoch())
                .count()));
    return answer(mine.size() == 1 ? 503 : 204);
  }
};

// F-01, TIME-02: the wall clock of a node jumps, under way, to where no clock
// should be. What is due stays due, no time is negative or huge, and only
// signatures follow the clock.
TEST(WrongClocks, ThatJumpMoveNothingThatIsDue) {
  if (no_faketime())
    GTEST_SKIP() << "libfaketime is not installed";
  seen_attempts seen;
  fault_bench bench{[&](const arrival& got) { return seen.note(got); }};
  wrong_clock clock{0};
  auto settings = clock.environment();
  // Each delivery fails once here, which is not about health.
  settings["HEALTH__DEGRADED_AFTER"] = "1000";
  settings["HEALTH__FAILURE_RATIO"] = "2";
  bench.start("", settings, false);
  wait_for_share(bench, 1);
  bench.endpoint(R"("retry":"400ms 400ms","ordering":"none")");
  const auto told = [&] {
    const auto log = bench.node().log();
    int out = 0;
    for (auto at = log.find("ms ahead of the database's");
         at != std::string::npos; at = log.find("ms ahead", at + 1))
      ++out;
    return out;
  };
  int jumps = 0;
  int sent = 0;
  const auto some = [&](int many) {
    for (int i = 0; i < many; ++i)
      EXPECT_TRUE(bench.insist(fmt::format("k{}", sent++)));
  };
  some(20);
  // Back and forth by an hour and a day, to 2038 and to 2106.
  for (const long jump :
       {-3'600L, 3'600L, -86'400L, 380'000'000L, 2'540'000'000L, 0L}) {
    clock.set(jump);
    some(10);
    ++jumps;
    EXPECT_TRUE(eventually([&] { return told() == jumps; }))
        << jump << bench.node().log();
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock{seen.mutex};
      return !seen.signed_off.empty()
             && std::abs(seen.signed_off.back() - jump) < 30;
    })) << jump;
  }
  some(10);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(told(), jumps); // each once
  {
    const std::lock_guard lock{seen.mutex};
    EXPECT_EQ(seen.at.size(), static_cast<std::size_t>(sent));
    for (const auto& [id, times] : seen.at) {
      ASSERT_EQ(times.size(), 2u) << id;
      EXPECT_GE(times[1] - times[0], 390) << id;
      EXPECT_LT(times[1] - times[0], 10'000) << id;
    }
  }
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "duration_ms not between 0 and 10000 or "
                             "started_at not between now() - interval "
                             "'10 min' and now() + interval '1 min'"),
            "0");
  for (const auto& one :
       read_metrics(bench.here().call(bench.node(), "READY", "/metrics").body))
    if (one.name.ends_with("_seconds_sum")) {
      EXPECT_GE(one.value, 0) << one.name;
      EXPECT_LT(one.value, 100'000) << one.name;
    }
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("F-01", "wall clock of a node jumps", 6, verdicts);
}

// F-03: another monotonic clock changes nothing.
TEST(WrongClocks, ThatAreMonotonicChangeNothing) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  // What this thread starts from there on is in the other time.
  bool shifted = false;
  std::thread{[&] {
    if (::unshare(CLONE_NEWTIME) != 0)
      return;
    std::ofstream offsets{fmt::format("/proc/{}/timens_offsets", ::gettid())};
    offsets << "monotonic 90000000 0\nboottime 90000000 0\n" << std::flush;
    shifted = offsets.good();
    if (shifted)
      bench.start();
  }}.join();
  if (!shifted)
    GTEST_SKIP() << "no time namespaces here";
  bench.endpoint();
  bench.start();
  wait_for_share(bench, 2);
  producers load{bench, 2, "p", 2ms};
  ASSERT_TRUE(bench.shop().wait_for(100)) << bench.node().log();
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("F-03", "monotonic clock of a node shifted", 1, verdicts);
}

// F-05: the zones of a node and of its database are nobody's business. A day is
// 86,400 seconds, whatever the zone makes of its hours.
TEST(WrongClocks, InEveryZoneADayIsADay) {
  for (const auto* zone : {"America/New_York", "Australia/Lord_Howe"}) {
    fault_bench bench{[](const arrival&) { return answer(503); }};
    bench.here().sql(fmt::format("do $$begin execute format('alter database %I "
                                 "set timezone = ''Europe/Berlin''', "
                                 "current_database()); end$$; select 1"));
    bench.start("", {{"$TZ", zone}});
    bench.endpoint(R"("retry":"24h")");
    EXPECT_TRUE(bench.insist("k"));
    EXPECT_TRUE(eventually([&] {
      return bench.here().sql("select count(*) from postrider.delivery where "
                              "state = 'retrying'")
             == "1";
    })) << bench.node().log();
    const auto off = std::stod(bench.here().sql(
        "select extract(epoch from d.due_at - a.at) - 86400 from "
        "postrider.delivery d join postrider.attempt a on a.delivery = d.id"));
    EXPECT_LT(std::abs(off), 1.0) << zone;
  }
}

} // namespace
} // namespace postrider::testing
