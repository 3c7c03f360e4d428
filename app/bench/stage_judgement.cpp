#include "app/bench/bench_stage.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

/// The longest that a delivery may be away without anything else arriving.
constexpr std::int64_t most_still = 30'000'000; // µs
/// Once the receiver is still for so long the database is asked, too.
constexpr std::int64_t some_still = 500'000;
/// What may yet be on its way when the database says that all has arrived.
constexpr std::int64_t grace = 1'000'000;

} // namespace

bench_stage::ending bench_stage::wait_until_delivered(std::uint64_t events,
                                                      const std::string& what) {
  progress bar{what, events};
  std::uint64_t before = 0;
  auto moved = monotonic_now();
  std::int64_t closed = 0; // when the database first said that nothing is open
  for (;;) {
    const auto now = receiver_->totals();
    bar.show(now.unique);
    if (const auto taken = now.unique + now.duplicates; taken != before) {
      before = taken;
      moved = monotonic_now();
    }
    const bool all = now.unique >= events;
    const auto still = monotonic_now() - moved;
    if ((all || still > some_still) && closed == 0
        && !database_->anything_open(answered_))
      closed = monotonic_now();
    if (closed != 0 && (all || monotonic_now() - closed > grace))
      return {all, closed};
    if (still > most_still)
      return {false, monotonic_now()};
    pause(all ? 1ms : 20ms);
  }
}

bench_stage::ending bench_stage::wait_until_requested(std::uint64_t requests,
                                                      const std::string& what) {
  progress bar{what, requests};
  std::uint64_t before = 0;
  auto moved = monotonic_now();
  for (;;) {
    const auto now = receiver_->totals().arrived;
    bar.show(now);
    if (now >= requests)
      return {true, monotonic_now()};
    if (now != before) {
      before = now;
      moved = monotonic_now();
    }
    if (monotonic_now() - moved > most_still)
      return {false, monotonic_now()};
    pause(2ms);
  }
}

std::uint64_t bench_stage::out_of_order(const tallies& from) {
  if (from.empty())
    return receiver_->totals().inversions;
  const auto all = receiver_->overtakings();
  return static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.end(), [&](const overtaking& one) {
        for (const auto* tally : from)
          if (const auto accepted = tally->accepted_at(one.number))
            return accepted < one.intended;
        return true;
      }));
}

void bench_stage::judge(std::uint64_t accepted, bench_report& report,
                        bench_phase& phase, const tallies& from,
                        std::uint64_t left_open) {
  pause(200ms); // for what might come twice
  const auto seen = receiver_->totals();
  const auto open = static_cast<std::uint64_t>(database_->open(answered_));
  const auto stored = database_->since(answered_, first_delivery_);
  const auto misplaced = out_of_order(from);
  const auto complain = [&](bool wrong, const std::string& what) {
    if (wrong)
      report.faults.push_back(fmt::format("{}: {}", phase.name, what));
  };
  complain(seen.unique < accepted,
           fmt::format("{} of {} accepted events never arrived",
                       accepted - std::min(seen.unique, accepted), accepted));
  complain(seen.unique > accepted,
           fmt::format("{} events arrived, but only {} were accepted",
                       seen.unique, accepted));
  complain(seen.duplicates > 0,
           fmt::format("{} arrived more than once", seen.duplicates));
  complain(misplaced > 0,
           fmt::format("{} first attempts came out of order", misplaced));
  complain(seen.forged > 0,
           fmt::format("{} of {} signatures looked at were wrong", seen.forged,
                       seen.verified));
  complain(seen.foreign > 0,
           fmt::format("{} requests were none of this run", seen.foreign));
  complain(open != left_open,
           left_open == 0 ? fmt::format("{} deliveries are still open", open)
                          : fmt::format("{} deliveries are open, not {}", open,
                                        left_open));
  complain(static_cast<std::uint64_t>(stored.succeeded) != accepted,
           fmt::format("the database says that {} were delivered, of {}",
                       stored.succeeded, accepted));
  phase.facts = {{"arrived", seen.arrived},
                 {"unique", seen.unique},
                 {"duplicates", seen.duplicates},
                 {"out_of_order", misplaced},
                 {"retries", seen.retries},
                 {"verified", seen.verified},
                 {"forged", seen.forged},
                 {"attempts", static_cast<std::uint64_t>(stored.attempts)}};
}

void bench_stage::judge_attempts(bench_report& report, bench_phase& phase) {
  const auto came = receiver_->totals().arrived;
  const auto sent =
      static_cast<std::uint64_t>(database_->since(all_, first_delivery_).sent);
  if (sent != came)
    report.faults.push_back(
        fmt::format("{}: {} requests came, but {} attempts are on record as "
                    "sent",
                    phase.name, came, sent));
  phase.facts.emplace_back("requests", came);
  phase.facts.emplace_back("attempts_sent", sent);
}

bench_report bench_stage::start_report(const std::string& scenario) {
  bench_report report;
  report.scenario = scenario;
  report.postgresql = database_->settings();
  report.settings = {{"database", postgres_ ? "embedded" : "given"},
                     {"endpoints", std::to_string(options_.endpoints)},
                     {"payload", std::to_string(options_.payload)},
                     {"verify_every", std::to_string(options_.verify_every)}};
  for (const auto& one : options_.settings)
    report.settings.emplace_back("set", one);
  return report;
}

} // namespace postrider::app
