#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace postrider::testing {

/// The only source of chance in a simulation. The same seed gives the same
/// rolls with every standard library: its distributions are its own.
class dice {
public:
  explicit dice(std::uint64_t seed) : source_{mixed(seed)} {}

  std::uint64_t next() { return source_(); }
  /// A whole number, both ends included.
  std::int64_t upto(std::int64_t least, std::int64_t most) {
    const auto many = static_cast<std::uint64_t>(most - least) + 1;
    return least + static_cast<std::int64_t>(source_() % many);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(source_() >> 11) * 0x1.0p-53; }
  bool chance(double p) { return unit() < p; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(upto(0, std::ssize(all) - 1))];
  }

private:
  /// Seeds that follow each other begin far from each other.
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::mt19937_64 source_;
};

} // namespace postrider::testing
