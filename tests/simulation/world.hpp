#pragma once

#include "core/uuid.hpp"
#include "tests/faults/ledger.hpp"
#include "tests/simulation/agenda.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/simulation/plan.hpp"
#include "tests/simulation/trace.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace postrider::testing {

/// Ways to make the model wrong, to see that the checker notices.
struct model_defects {
  bool unfenced = false;       ///< outcomes are written under any epoch
  bool cursor_alone = false;   ///< the reader never hears of late commits
  bool drops_outcomes = false; ///< some are told as written and are not
};

/// Of each request, as all endpoints leave it to the nodes.
constexpr std::chrono::milliseconds request_timeout{1'000};

/// What all parts of a run share. One thread, one seed.
struct world {
  world(std::uint64_t seed, plan what, model_defects wrong, bool loud)
      : by{seed * 2}, playing{std::move(what)}, defects{wrong}, seen{loud} {}

  std::int64_t now() const { return time.now().count(); }
  /// Into the ledger. Its times are nanoseconds here, so that what the checker
  /// allows for clocks that are read by hand comes to nothing.
  template <class Line>
  void write(Line line) {
    lines.push_back(std::move(line));
  }
  uuid some_id() {
    uuid out;
    for (auto& byte : out.bytes)
      byte = static_cast<std::uint8_t>(by.upto(0, 255));
    return out;
  }
  void rare(const std::string& path, std::uint64_t times = 1) {
    if (times > 0)
      reached[path] += times;
  }

  dice by;
  plan playing;
  model_defects defects;
  agenda time;
  trace seen;
  std::vector<ledger_line> lines;
  /// How often each rare path was taken.
  std::map<std::string, std::uint64_t> reached;
  bool healed = false; ///< no fault begins any more
};

} // namespace postrider::testing
