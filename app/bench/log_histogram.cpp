#include "app/bench/log_histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace postrider::app {

namespace {

constexpr unsigned half_bits = 10;
constexpr std::size_t half = std::size_t{1} << half_bits;
constexpr std::int64_t limit = (std::int64_t{1} << 36) - 1;

/// Below 2048 each value has its own bucket; above, the eleven leading bits
/// choose it.
std::size_t bucket_of(std::int64_t micros) {
  const auto value = static_cast<std::uint64_t>(micros);
  const auto width = static_cast<unsigned>(std::bit_width(value));
  const auto shift = width > half_bits + 1 ? width - half_bits - 1 : 0;
  return shift * half + static_cast<std::size_t>(value >> shift);
}

/// The highest value of a bucket.
std::int64_t top_of(std::size_t bucket) {
  const auto shift = bucket < 2 * half ? 0 : bucket / half - 1;
  const auto lead = bucket - shift * half;
  return static_cast<std::int64_t>(((lead + 1) << shift) - 1);
}

template <class Number>
bool take(std::string_view& text, Number& into) {
  const auto [stop, fault] =
      std::from_chars(text.data(), text.data() + text.size(), into);
  if (fault != std::errc{})
    return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

} // namespace

log_histogram::log_histogram() : buckets_(bucket_of(limit) + 1) {}

void log_histogram::add(std::int64_t micros) {
  const auto value = std::clamp<std::int64_t>(micros, 0, limit);
  ++buckets_[bucket_of(value)];
  ++count_;
  max_ = std::max(max_, value);
}

void log_histogram::merge(const log_histogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::int64_t log_histogram::quantile(double share) const {
  const auto wanted =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(
                                     static_cast<double>(count_) * share)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted)
      return std::min(top_of(i), max_);
  }
  return max_;
}

std::string log_histogram::pack() const {
  auto text = fmt::format("{}", max_);
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    if (buckets_[i] != 0)
      text += fmt::format(" {}:{}", i, buckets_[i]);
  return text;
}

bool log_histogram::unpack(std::string_view text) {
  log_histogram read;
  if (!take(text, read.max_) || read.max_ < 0 || read.max_ > limit)
    return false;
  while (!text.empty()) {
    std::size_t bucket = 0;
    std::uint64_t count = 0;
    if (text.front() != ' ')
      return false;
    text.remove_prefix(1);
    if (!take(text, bucket) || bucket >= buckets_.size()
        || !text.starts_with(':'))
      return false;
    text.remove_prefix(1);
    if (!take(text, count))
      return false;
    read.buckets_[bucket] += count;
    read.count_ += count;
  }
  merge(read);
  return true;
}

} // namespace postrider::app
