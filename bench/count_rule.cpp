#include "bench/hot_rules.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

// Runs one rule of the hot path so often and ends: what bench/instructions
// counts the instructions of. What it prints is read by nobody; that it is
// printed keeps the work.
namespace postrider {
namespace {

template <class Rule>
std::size_t repeat(Rule rule, long calls) {
  std::size_t out = 0;
  for (long i = 0; i < calls; ++i)
    out += rule();
  return out;
}

endpoint without_secrets() {
  auto out = bench::receiver();
  out.keys.clear();
  return out;
}

/// Nothing for another name.
std::optional<std::size_t> run(std::string_view rule, long calls) {
  if (rule == "lines")
    return repeat(bench::lines_round{}, calls);
  if (rule == "read_window")
    return repeat(bench::read_round{}, calls);
  if (rule == "settlement")
    return repeat(
        [of = bench::plan_round{503}] {
          return static_cast<std::size_t>(of().wait.count());
        },
        calls);
  if (rule == "head")
    return repeat(bench::head_round{without_secrets()}, calls);
  if (rule == "signature")
    return repeat(bench::sign_round{1'024}, calls);
  return std::nullopt;
}

} // namespace
} // namespace postrider

int main(int count, char** given) {
  long calls = 0;
  const std::string_view number = count == 3 ? given[2] : "";
  const auto read =
      std::from_chars(number.data(), number.data() + number.size(), calls);
  const auto done = count == 3 && read.ec == std::errc{}
                        ? postrider::run(given[1], calls)
                        : std::nullopt;
  if (!done) {
    std::fputs("usage: count_rule RULE CALLS\n", stderr);
    return 2;
  }
  std::printf("%zu\n", *done);
}
