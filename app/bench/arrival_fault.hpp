#pragma once

#include "app/bench/arrival_ledger.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace postrider::app {

/// Defects that a receiver can be given, to see that a run finds them.
enum class arrival_fault { none, drop, repeat, reorder, forge };

/// Of its name; nothing when there is none.
std::optional<arrival_fault> parse_arrival_fault(const std::string& name);

/// Spoils about one arrival in fifty on its way to the ledger, chosen by seed.
class fault_injector {
public:
  using consumer = std::function<void(const bench_arrival&)>;

  fault_injector(arrival_fault kind, std::uint64_t seed);

  /// Hands on what becomes of it: nothing, itself, itself twice, or itself
  /// before the one of its endpoint that was kept back.
  void pass(const bench_arrival& one, const consumer& into);
  /// Whether a good signature is to be taken for a wrong one.
  bool forges();

private:
  bool strikes() { return dice_() % 50 == 0; }

  arrival_fault kind_;
  std::mt19937_64 dice_;
  std::map<std::size_t, bench_arrival> kept_; ///< by endpoint
};

} // namespace postrider::app
