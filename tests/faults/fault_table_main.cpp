// postrider-fault-table RECORDS: prints the table of results in Markdown. The
// exit status is 0 when nothing was broken but what is documented, 1 when
// something was and 2 when the file can't be read.
#include "tests/faults/fault_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>

int main(int count, char** arguments) {
  using namespace postrider::testing;
  if (count != 2) {
    fmt::print(stderr, "usage: postrider-fault-table RECORDS\n");
    return 2;
  }
  try {
    std::ifstream in{arguments[1]};
    if (!in)
      throw std::runtime_error{"can't be opened"};
    const auto all = read_fault_records(in);
    fmt::print("{}", fault_table(all));
    return std::ranges::all_of(all,
                               [](const auto& one) {
                                 return one.documented
                                        || one.lost + one.avoidable
                                                   + one.inversions + one.other
                                               == 0;
                               })
               ? 0
               : 1;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "{}: {}\n", arguments[1], fault.what());
    return 2;
  }
}
