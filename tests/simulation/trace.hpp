#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace postrider::testing {

/// All that happens in a run, as one number; with `loud` as lines of text too.
/// Two runs that differ anywhere differ in it.
class trace {
public:
  explicit trace(bool loud) : loud_{loud} {}

  template <std::integral... Numbers>
  void note(std::int64_t now, std::string_view what, Numbers... numbers) {
    mix(static_cast<std::uint64_t>(now));
    for (const char c : what)
      mix(static_cast<unsigned char>(c));
    (mix(static_cast<std::uint64_t>(numbers)), ...);
    if (!loud_)
      return;
    std::string line{what};
    ((line += ' ', line += std::to_string(numbers)), ...);
    say(now, line);
  }

  /// For people only.
  bool loud() const { return loud_; }
  void say(std::int64_t now, const std::string& text) const {
    if (loud_)
      std::printf("%14.6f %s\n", static_cast<double>(now) / 1e9, text.c_str());
  }

  std::uint64_t hash() const { return hash_; }

private:
  void mix(std::uint64_t what) {
    hash_ = (hash_ ^ what) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325;
  bool loud_;
};

} // namespace postrider::testing
