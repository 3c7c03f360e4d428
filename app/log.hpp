#pragma once

#include "actors/log.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace postrider::app {

/// The log of a node: one JSON object a line (`log_line`). A component may say
/// 50 lines in a second at info and as many above it, at debug any number; how
/// many were left out stands in the next one. Thread-safe.
class log {
public:
  /// `level` is debug | info | warn | error, `file` a descriptor.
  log(std::string_view level, std::string node, int file);
  ~log();

  /// May be used as long as it lives, also when this object is gone.
  actors::log_sink sink() const;
  /// From now on.
  void use_level(std::string_view level);

  struct tally {
    std::array<std::uint64_t, 4> lines{}; ///< by level
    std::uint64_t dropped = 0;            ///< could not be written
    std::uint64_t left_out = 0;           ///< beyond what a component may say
  };
  tally counted() const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace postrider::app
