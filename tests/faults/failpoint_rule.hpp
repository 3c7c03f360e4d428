#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::testing {

/// What a failpoint does: `name=action(chance,from,amount)`. `chance` is per
/// hit (1 when left out), hits before number `from` count for nothing (1), and
/// `amount` is milliseconds for `sleep` and for `stall`, which sleeps once, and
/// for the others how often at most (0: no limit).
struct failpoint_rule {
  enum class action { crash, hang, sleep, stall, fail, error, drop };

  std::string name;
  action what = action::error;
  double chance = 1;
  std::uint64_t from = 1;
  std::uint64_t amount = 0;
  std::uint64_t hits = 0;
  std::uint64_t struck = 0;

  /// Counts a hit; whether the rule acts at it.
  bool hit(std::mt19937_64& dice);
};

/// Reads `a=crash(1,3);b=sleep(0.1,1,50)`. Throws std::invalid_argument that
/// names the piece that can't be read.
std::vector<failpoint_rule> parse_failpoints(std::string_view text);

} // namespace postrider::testing
