#pragma once

#include "app/delivery_ledger.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace postrider::app {

/// What the summary shows beside the ledger.
struct screen_facts {
  ledger_totals totals;
  std::chrono::seconds running{0};
  std::uint64_t foreign = 0; ///< deliveries of events that others sent
  std::uint64_t resent = 0;
  std::string trouble;
};

/// The live summary: one block, drawn again in place, on a terminal; a line
/// every five seconds otherwise.
class demo_screen {
public:
  demo_screen();
  void show(const screen_facts& now);

private:
  bool terminal_;
  bool drawn_ = false;
  ledger_totals before_;
  std::chrono::steady_clock::time_point last_;
};

/// What stays on the screen at the end.
std::string final_report(const screen_facts& end, bool complete);

} // namespace postrider::app
