// What the machine does to a node: too little memory, a full disk for its log,
// starts and stops without a pause, and a freeze of all of it.
#include "tests/faults/answers.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/fleet.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/faults/sql_producer.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics_page.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

double metric(const node_process& of, const std::string& name) {
  const auto got = exchange(of.admin_port(), "GET /metrics HTTP/1.1\r\n"
                                             "Host: t\r\n"
                                             "Connection: close\r\n\r\n");
  return sum_of(read_metrics(got ? got->body : ""), name, {});
}

/// A control group with a limit for the memory that its processes take from
/// now on. Not there where it can't be made.
class memory_group {
public:
  static std::unique_ptr<memory_group> with(std::int64_t bytes) {
    const std::filesystem::path one{"/sys/fs/cgroup/memory"};
    const std::filesystem::path two{"/sys/fs/cgroup"};
    const bool old = std::filesystem::exists(one / "memory.limit_in_bytes");
    std::unique_ptr<memory_group> out{new memory_group};
    out->place_ = (old ? one : two) / fmt::format("postrider-{}", getpid());
    std::error_code failed;
    std::filesystem::create_directory(out->place_, failed);
    if (failed
        || !out->write(old ? "memory.limit_in_bytes" : "memory.max", bytes))
      return nullptr;
    return out;
  }
  ~memory_group() { ::rmdir(place_.c_str()); }

  bool add(pid_t process) { return write("cgroup.procs", process); }

private:
  memory_group() = default;
  bool write(const char* file, std::int64_t value) const {
    std::ofstream out{place_ / file};
    out << value << std::flush;
    return out.good();
  }

  std::filesystem::path place_;
};

// A-08: a fifth more than it has, and 200 payloads of 1 MiB at once. What is
// refused is told so; a node that is killed for it is one that was killed.
TEST(Machine, WithTooLittleMemoryLosesNothing) {
  fault_bench bench{at_once};
  auto& node = bench.start();
  bench.endpoint();
  ASSERT_TRUE(bench.insist("warm"));
  std::ifstream statm{fmt::format("/proc/{}/statm", node.pid())};
  std::int64_t pages = 0;
  statm >> pages >> pages;
  const auto group =
      memory_group::with(std::max<std::int64_t>(pages * 4096 / 5, 4 << 20));
  if (!group || !group->add(node.pid()))
    GTEST_SKIP() << "no control group can be made here";
  const int payloads = long_run() ? 200 : 60;
  std::atomic<int> stored{0};
  std::atomic<int> refused{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < payloads; ++i)
      callers.emplace_back([&, i] {
        const auto status = bench.send_payload(
            fmt::format("big{}", i),
            fmt::format(R"("{}{}")", i, std::string(1 << 20, 'x').substr(32)));
        if (status / 100 == 2)
          ++stored;
        else if (status != 0)
          ++refused;
      });
  }
  const bool killed = node.wait(1s) >= 0;
  if (killed) {
    bench.mark("crash", bench.name());
    bench.start();
  }
  EXPECT_TRUE(bench.insist("after", "s", 60s));
  ASSERT_TRUE(bench.drained(120s)) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  fmt::print("A-08: {} of {} stored, {} refused, {}\n", stored.load(), payloads,
             refused.load(), killed ? "killed once" : "not killed");
  put_on_record("A-08", "a fifth more memory, and 1 MiB payloads at once", 1,
                verdicts);
}

/// A small file system of its own, where temporary files go meanwhile.
class small_disk {
public:
  explicit small_disk(const char* size) {
    auto pattern =
        (std::filesystem::temp_directory_path() / "postrider-disk-XXXXXX")
            .string();
    if (::mkdtemp(pattern.data()) == nullptr)
      return;
    place_ = pattern;
    there_ = ::mount("none", place_.c_str(), "tmpfs", 0,
                     fmt::format("size={}", size).c_str())
             == 0;
    if (const char* was = std::getenv("TMPDIR"))
      before_ = was;
    ::setenv("TMPDIR", place_.c_str(), 1);
  }
  ~small_disk() {
    if (before_)
      ::setenv("TMPDIR", before_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
    if (there_)
      ::umount2(place_.c_str(), MNT_DETACH);
    ::rmdir(place_.c_str());
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  bool there() const { return there_; }
  void fill() const {
    std::ofstream out{place_ / "rest"};
    const std::string some(4096, 'x');
    while (out.write(some.data(), 4096).flush())
      ;
  }

private:
  std::filesystem::path place_;
  std::optional<std::string> before_;
  bool there_ = false;
};

// A-16: its log can't be written any more; it goes on, and counts the lines.
TEST(Machine, WithAFullDiskForItsLogGoesOnAndCountsWhatItLeavesOut) {
  postgres_server::shared(); // not on that disk
  fault_bench bench{at_once};
  std::optional<small_disk> disk;
  disk.emplace("4m");
  if (!disk->there())
    GTEST_SKIP() << "mounting needs root";
  auto& node = bench.start("", {{"LOG__LEVEL", "debug"}});
  disk->fill();
  bench.endpoint();
  const int events = long_run() ? 5'000 : 200;
  producers load{bench, 2};
  ASSERT_TRUE(bench.shop().wait_for(events, 300s));
  // Something to be said, for certain.
  bench.here().sql("select pg_terminate_backend(pid) from pg_stat_activity "
                   "where datname = current_database() and application_name = "
                   "'postrider reader'");
  EXPECT_TRUE(eventually(
      [&] { return metric(node, "postrider_log_lines_dropped_total") > 0; }));
  const auto had = bench.shop().count();
  EXPECT_TRUE(bench.shop().wait_for(had + 10));
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained());
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  fmt::print("A-16: {} lines left out\n",
             metric(node, "postrider_log_lines_dropped_total"));
  put_on_record("A-16", "no room for the log", 1, verdicts);
}

// A-18: nodes that come and go without a pause, some before they are ready.
TEST(Machine, StartsAndStopsOfNodesUnderLoadRepeatNothingAndNeverHang) {
  const int rounds = long_run() ? 500 : 4;
  fault_bench bench{at_once};
  fleet nodes{bench, 1};
  for (int i = 0; i < 4; ++i)
    bench.endpoint();
  milliseconds longest{0};
  {
    producers load{bench, 2, "p", 2ms};
    for (int i = 0; i < rounds; ++i) {
      auto& other = bench.start("", {}, i % 2 == 0);
      const auto asked = steady_clock::now();
      other.signal(SIGTERM);
      EXPECT_EQ(other.wait(20s), 0) << other.log();
      longest = std::max(longest, std::chrono::duration_cast<milliseconds>(
                                      steady_clock::now() - asked));
      const auto had = bench.shop().count();
      ASSERT_TRUE(bench.shop().wait_for(had + 5)) << nodes[0].process->log();
    }
    EXPECT_GT(load.stop(), 0);
  }
  EXPECT_LT(longest, 5s);
  ASSERT_TRUE(bench.drained()) << nodes[0].process->log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I2", "U1") + number_of(verdicts, "I2", "U2"),
            0);
  fmt::print("A-18: the longest stop took {} ms\n", longest.count());
  put_on_record("A-18", "starts and stops under load", rounds, verdicts);
}

/// The most that came within one second from then on.
std::int64_t peak_after(fault_bench& bench, steady_clock::time_point from) {
  std::map<std::int64_t, std::int64_t> seconds;
  std::int64_t out = 0;
  for (const auto& one : bench.shop().raw().arrivals())
    if (one.at >= from)
      out = std::max(out, ++seconds[(one.at - from) / 1s]);
  return out;
}

// A-19: all nodes stand still at once while producers go on, then the database
// does. What has gathered comes in order, one at a time for each stream, and
// not as a herd.
TEST(Machine, ThatFreezesAsAWholeLosesNothingAndSendsNoHerd) {
  const auto span = long_run() ? 60s : 2s;
  postgres_server server;
  fault_bench bench{server, after_a_moment<20>};
  fleet nodes{bench, 2};
  for (int i = 0; i < 4; ++i)
    bench.endpoint();
  ASSERT_TRUE(bench.insist("warm"));
  const auto froze = ledger_now();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i].process->signal(SIGSTOP);
  sql_producer meanwhile{bench};
  int events = 0;
  for (const auto end = steady_clock::now() + span; steady_clock::now() < end;
       ++events) {
    meanwhile.publish(fmt::format("k{}", events));
    meanwhile.commit();
    std::this_thread::sleep_for(10ms);
  }
  const auto thawed = ledger_now();
  const auto thawed_at = steady_clock::now();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].process->signal(SIGCONT);
    bench.producer().write_durably(
        mark_line{"pause", nodes[i].name, froze, thawed, 0});
  }
  ASSERT_TRUE(bench.drained(120s)) << nodes[0].process->log();
  // Four streams, 20 ms for each answer: 200 a second can be had at most.
  const auto peak = peak_after(bench, thawed_at);
  EXPECT_LE(peak, 4 * 50 + 8);
  server.freeze();
  std::this_thread::sleep_for(span);
  server.thaw();
  bench.mark("database", "", 5s);
  EXPECT_TRUE(bench.insist("after"));
  ASSERT_TRUE(bench.drained(120s)) << nodes[0].process->log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  fmt::print("A-19: {} events meanwhile, at most {} arrivals a second after\n",
             events, peak);
  put_on_record("A-19", "all nodes frozen, then the database", 2, verdicts);
}

} // namespace
} // namespace postrider::testing
