#include "app/whole_input.hpp"

#include "app/client/failure.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>

namespace postrider::app {

std::string whole_input(const std::string& option, const std::string& file) {
  if (file == "-")
    return {std::istreambuf_iterator<char>{std::cin}, {}};
  std::ifstream in{file, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  // A folder opens, and fails when it is read.
  if (!in.is_open() || in.bad())
    throw failure{exit_usage, fmt::format("{}: can't read {}", option, file)};
  return bytes;
}

} // namespace postrider::app
