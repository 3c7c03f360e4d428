// postrider-check LEDGERS...: prints I1 to I10 of a run. The exit status is 0
// when all hold, 1 when one is broken and 2 when a ledger can't be read.
#include "tests/faults/check.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

int main(int count, char** arguments) {
  using namespace postrider::testing;
  if (count < 2) {
    fmt::print(stderr, "usage: postrider-check LEDGER...\n");
    return 2;
  }
  history all;
  for (int i = 1; i < count; ++i) {
    try {
      std::ifstream in{arguments[i]};
      if (!in)
        throw std::invalid_argument{"can't be opened"};
      all.read(in);
    } catch (const std::exception& fault) {
      fmt::print(stderr, "{}: {}\n", arguments[i], fault.what());
      return 2;
    }
  }
  all.finish();
  const auto verdicts = check_all(all);
  fmt::print("{}", report(verdicts));
  return holds(verdicts) ? 0 : 1;
}
