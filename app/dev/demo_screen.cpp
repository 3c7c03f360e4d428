#include "app/dev/demo_screen.hpp"

#include <fmt/format.h>

#include <cstdio>

#include <unistd.h>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr int block_height = 6;

std::string milliseconds_of(std::chrono::microseconds time) {
  return fmt::format("{:.1f} ms", static_cast<double>(time.count()) / 1000);
}

std::string order_word(const ledger_totals& now) {
  return now.out_of_order == 0
             ? std::string{"yes"}
             : fmt::format("NO, {} out of order", now.out_of_order);
}

std::string signature_word(const ledger_totals& now) {
  return now.badly_signed == 0 ? std::string{"all good"}
                               : fmt::format("{} WRONG", now.badly_signed);
}

std::string block(const screen_facts& now, double rate) {
  const auto& t = now.totals;
  return fmt::format(
      "  running      {:>10} s    {:.0f} deliveries/s\n"
      "  accepted     {:>10} events, {} deliveries\n"
      "  delivered    {:>10}      retried {}   pending {}\n"
      "  first order  {:>10}      signatures {}\n"
      "  latency      {:>10} p50  {} p99\n"
      "  yours        {:>10} deliveries{}\n",
      now.running.count(), rate, t.accepted, t.expected, t.delivered, t.retried,
      t.pending(), order_word(t), signature_word(t), milliseconds_of(t.p50),
      milliseconds_of(t.p99), now.foreign,
      now.trouble.empty()
          ? ""
          : fmt::format("   sent again {}: {:.60}", now.resent, now.trouble));
}

} // namespace

demo_screen::demo_screen()
    : terminal_{::isatty(STDOUT_FILENO) == 1},
      last_{std::chrono::steady_clock::now()} {}

void demo_screen::show(const screen_facts& now) {
  const auto moment = std::chrono::steady_clock::now();
  const auto passed = moment - last_;
  if (passed < (terminal_ ? 500ms : 5000ms))
    return;
  const auto rate =
      static_cast<double>(now.totals.delivered - before_.delivered)
      / std::chrono::duration<double>(passed).count();
  if (terminal_) {
    // Back to the block's first line, then clear to the end of the screen.
    if (drawn_)
      fmt::print("\x1b[{}A\x1b[J", block_height);
    fmt::print("{}", block(now, rate));
    drawn_ = true;
  } else {
    const auto& t = now.totals;
    fmt::print("{:>4} s  accepted {}  delivered {}  retried {}  pending {}  "
               "in order: {}  signatures: {}  p50 {}  p99 {}\n",
               now.running.count(), t.accepted, t.delivered, t.retried,
               t.pending(), order_word(t), signature_word(t),
               milliseconds_of(t.p50), milliseconds_of(t.p99));
    if (!now.trouble.empty())
      fmt::print("        sent again {}: {}\n", now.resent, now.trouble);
  }
  std::fflush(stdout);
  last_ = moment;
  before_ = now.totals;
}

std::string final_report(const screen_facts& end, bool complete) {
  const auto& t = end.totals;
  return fmt::format(
      "\nreport\n"
      "  accepted     {} events, {} deliveries\n"
      "  delivered    {}{}\n"
      "  attempts     {} first, {} retries\n"
      "  duplicates   {}\n"
      "  in order     {}\n"
      "  signatures   {}\n"
      "  latency      p50 {}, p99 {} from sending to the first attempt\n",
      t.accepted, t.expected, t.delivered,
      t.pending() == 0 ? std::string{", nothing lost"}
      : complete       ? fmt::format(", {} LOST", t.pending())
                       : fmt::format(", {} not yet when it ended", t.pending()),
      t.first, t.retried, t.duplicates, order_word(t), signature_word(t),
      milliseconds_of(t.p50), milliseconds_of(t.p99));
}

} // namespace postrider::app
