#include "app/api_client.hpp"
#include "app/client/failure.hpp"
#include "app/client/problem_text.hpp"
#include "app/client/work_progress.hpp"
#include "app/commands/options.hpp"
#include "app/commands/send_options.hpp"
#include "app/stop_signals.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::uint64_t most_under_way = 64;

/// What became of the requests, and how many are under way.
class tally {
public:
  /// Waits until another one may start.
  void start() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return under_way_ < most_under_way; });
    ++under_way_;
  }
  void end(const api_answer& answer) {
    const std::lock_guard lock{mutex_};
    --under_way_;
    if (answer.status >= 200 && answer.status < 300)
      ++accepted_;
    else if (++refused_ == 1)
      first_fault_ = answer;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return under_way_ == 0; });
  }

  std::uint64_t accepted() {
    const std::lock_guard lock{mutex_};
    return accepted_;
  }
  std::uint64_t refused() {
    const std::lock_guard lock{mutex_};
    return refused_;
  }
  const api_answer& first_fault() const { return first_fault_; }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t under_way_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
  api_answer first_fault_;
};

int conclude(const send_options& options, tally& all, double seconds) {
  const auto accepted = all.accepted();
  const auto refused = all.refused();
  if (options.json)
    fmt::print("{{\"accepted\":{},\"refused\":{},\"seconds\":{:.3f}}}\n",
               accepted, refused, seconds);
  else
    fmt::print("{} accepted in {:.1f} s, {} refused\n", accepted, seconds,
               refused);
  if (refused == 0)
    return exit_done;
  const auto& first = all.first_fault();
  const auto why =
      first.status == 0
          ? failure{exit_unreachable,
                    fmt::format("{} ({})", "the node does not answer",
                                first.fault)}
          : failure_of(first.status, first.body);
  complain(fmt::format("the first refusal: {}", why.what()));
  return accepted > 0 ? exit_partly : why.code();
}

} // namespace

int send_repeatedly(const send_options& options) {
  if (!options.id.empty())
    throw failure{exit_usage, "--id names one event: leave it out with "
                              "--repeat"};
  if (options.wait)
    throw failure{exit_usage, "--wait is for one event: leave it out with "
                              "--repeat"};
  const auto event = event_of(options);
  stop_signals signals;
  tally all;
  api_session api{options};
  const auto begun = clock::now();
  {
    work_progress shown{options, "sent", options.repeat};
    for (std::uint64_t i = 0; i < options.repeat; ++i) {
      // By the clock, not by pauses: what was late is made up for.
      const auto due = options.rate > 0
                           ? begun
                                 + std::chrono::duration_cast<clock::duration>(
                                     std::chrono::duration<double>{
                                         static_cast<double>(i) / options.rate})
                           : begun;
      const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(
          due - clock::now());
      if (signals.wait_for(std::max<std::chrono::milliseconds>(wait, 0ms)))
        break;
      all.start();
      api.client().post("/v1/events", event,
                        [&all](const api_answer& answer) { all.end(answer); });
      shown.advance_to(i + 1);
    }
    all.wait();
  }
  const std::chrono::duration<double> passed = clock::now() - begun;
  return conclude(options, all, passed.count());
}

} // namespace postrider::app
