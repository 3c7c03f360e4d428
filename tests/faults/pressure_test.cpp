#include "tests/faults/answers.hpp"
#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics_page.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Resident memory of a process, in KiB.
std::int64_t resident(pid_t of) {
  std::ifstream in{fmt::format("/proc/{}/statm", of)};
  std::int64_t pages = 0;
  in >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

/// Processor time of a process so far, in seconds.
double spent(pid_t of) {
  std::ifstream in{fmt::format("/proc/{}/stat", of)};
  std::string word;
  for (int i = 0; i < 13; ++i)
    in >> word;
  double user = 0;
  double system = 0;
  in >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// What many callers were answered.
struct answers {
  std::atomic<int> stored{0};
  std::atomic<int> refused{0}; ///< 429, 503
  std::atomic<int> other{0};

  void add(int status) {
    ++(status / 100 == 2                ? stored
       : status == 429 || status == 503 ? refused
                                        : other);
  }
};

// A-11: the store takes 50 ms for each batch, and more comes in than it can
// take. What waits is bounded, the rest is refused, and nothing is dropped
// without a word.
TEST(Pressure, OnASlowStoreIsRefusedAndNeverDroppedInSilence) {
  fault_bench bench{at_once};
  auto& node = bench.start("ingest.before_insert=sleep(1,1,50)",
                           {{"API__QUEUE_LIMIT", "200"},
                            {"INGEST__BATCH_MAX", "20"},
                            {"INGEST__CONNECTIONS", "1"}});
  bench.endpoint();
  const auto before = resident(node.pid());
  answers got;
  std::atomic<std::int64_t> longest{0};
  std::atomic<bool> done{false};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i)
      callers.emplace_back([&, i] {
        for (int n = 0; !done; ++n) {
          // A batch of fifty: 400 of them at once are twice the bound.
          std::string body;
          for (int k = 0; k < 50; ++k)
            body += fmt::format(
                R"({}{{"tenant":"acme","type":"a.b","id":"p{}-{}-{}",)"
                R"("ordering_key":"s{}","payload":{{}}}})",
                k ? "," : "", i, n, k, i);
          const auto answered = bench.here().call(
              node, "POST", "/v1/events/batch", "[" + body + "]");
          got.add(answered.status);
        }
      });
    const auto end = std::chrono::steady_clock::now() + (long_run() ? 60s : 4s);
    while (std::chrono::steady_clock::now() < end) {
      const auto got_page =
          exchange(node.admin_port(), "GET /metrics HTTP/1.1\r\nHost: t\r\n"
                                      "Connection: close\r\n\r\n");
      const auto page = read_metrics(got_page ? got_page->body : "");
      for (const auto* actor : {"ingester", "ingest_store"})
        longest = std::max<std::int64_t>(
            longest,
            static_cast<std::int64_t>(sum_of(
                page, "postrider_actor_mailbox_length", {{"actor", actor}})));
      std::this_thread::sleep_for(100ms);
    }
    done = true;
  }
  EXPECT_GT(got.refused, 0) << "it was pressed";
  EXPECT_GT(got.stored, 0);
  EXPECT_EQ(got.other, 0);
  EXPECT_LE(longest, 200);
  const auto grown = resident(node.pid()) - before;
  EXPECT_LE(grown, 64 * 1024) << "KiB";
  const auto events =
      std::stoll(bench.here().sql("select count(*) from postrider.event"));
  EXPECT_EQ(events, got.stored * 50) << "each that was answered, and no other";
  EXPECT_TRUE(bench.drained(120s));
  fmt::print("A-11: {} batches stored, {} refused, longest mailbox {}, {} KiB "
             "more\n",
             got.stored.load(), got.refused.load(), longest.load(), grown);
  fault_record out{"A-11", "50 ms for each batch of the ingest store", 1};
  out.lost = got.stored * 50 - events;
  put_on_record(out);
}

/// For the processes that are started while it lives.
class few_descriptors {
public:
  explicit few_descriptors(rlim_t many) {
    getrlimit(RLIMIT_NOFILE, &before_);
    auto wanted = before_;
    wanted.rlim_cur = many;
    setrlimit(RLIMIT_NOFILE, &wanted);
  }
  ~few_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  few_descriptors(const few_descriptors&) = delete;
  few_descriptors& operator=(const few_descriptors&) = delete;

private:
  rlimit before_{};
};

// A-15: more callers than descriptors. The node does not spin, what it has
// accepted goes on, and it recovers by itself.
TEST(Pressure, OnItsDescriptorsDoesNotMakeItSpinAndEndsByItself) {
  fault_bench bench{at_once};
  {
    const few_descriptors only{256};
    bench.start();
  }
  auto& node = bench.node();
  bench.endpoint();
  std::vector<std::unique_ptr<raw_client>> callers;
  for (int i = 0; i < 400; ++i)
    callers.push_back(std::make_unique<raw_client>(node.api_port()));
  const auto from = spent(node.pid());
  std::this_thread::sleep_for(long_run() ? 20s : 2s);
  const auto share = (spent(node.pid()) - from) / (long_run() ? 20 : 2);
  EXPECT_LE(share, 0.2) << "of one processor";
  callers.clear();
  const auto ended = ledger_now();
  EXPECT_TRUE(bench.insist("after", "s", 20s)) << node.log();
  const std::int64_t took = (ledger_now() - ended) / 1'000;
  EXPECT_TRUE(bench.drained()) << node.log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  fmt::print("A-15: {:.1f} % of a processor while descriptors were short\n",
             share * 100);
  put_on_record("A-15", "256 descriptors, 400 callers", 1, verdicts, {took});
}

} // namespace
} // namespace postrider::testing
