#include "app/bench/backlog.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/process_usage.hpp"
#include "app/bench/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t mebibyte = 1 << 20;
/// As without a setting: it has to hold the share of one endpoint.
constexpr std::size_t least_window = 4'000;

} // namespace

void set_up(const slow_receiver_options& options, stage_options& stage) {
  stage.groups = {{.count = options.in_flight}};
  // In front, so that the caller's own settings count. The lease has to be
  // longer than a request may take.
  stage.settings.insert(
      stage.settings.begin(),
      {"http.timeout=60s", "http.connect_timeout=60s", "delivery.lease=90s",
       "shutdown.timeout=60s",
       fmt::format("http.max_connections={}", options.in_flight),
       fmt::format("limits.tenant_max_in_flight={}", options.in_flight),
       fmt::format("delivery.window={}",
                   std::max(least_window, 2 * options.in_flight))});
}

bench_report bench_slow_receiver(bench_stage& stage,
                                 const slow_receiver_options& options) {
  auto report = stage.start_report("slow-receiver");
  report.settings.emplace_back("in_flight", std::to_string(options.in_flight));
  stage.start_at_work();
  const auto idle = resident_memory(stage.node().pid());
  stage.receiver().hold();
  write_backlog(stage, stage.targets(), 0, options.in_flight);
  const auto reached =
      stage.wait_until_requested(options.in_flight, "requests in flight");
  stage.pause(500ms);
  const auto requests = stage.receiver().totals().arrived;
  const auto resident = resident_memory(stage.node().pid());
  if (!reached.complete)
    report.faults.push_back(
        fmt::format("{} requests came to be in flight, of {}", requests,
                    options.in_flight));
  auto phase = measure_work(
      stage, "answered", [&] { stage.receiver().release(); },
      [&] {
        return stage.wait_until_delivered(options.in_flight, "answering");
      });
  // They had arrived before.
  phase.count = stage.receiver().totals().unique;
  stage.judge(options.in_flight, report, phase);
  stage.stop_node();
  stage.judge_attempts(report, phase);
  const auto note = [&phase](const char* name, std::int64_t value) {
    phase.facts.emplace_back(name, static_cast<std::uint64_t>(value));
  };
  note("in_flight", static_cast<std::int64_t>(requests));
  note("node_bytes_idle", idle);
  note("node_bytes_in_flight", resident);
  note("bytes_each", std::max<std::int64_t>(resident - idle, 0)
                         / static_cast<std::int64_t>(options.in_flight));
  report.verdicts.push_back(
      {fmt::format("node within {} MiB", options.most_memory), phase.name,
       static_cast<double>(resident),
       resident <= options.most_memory * mebibyte});
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
