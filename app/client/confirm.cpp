#include "app/client/confirm.hpp"

#include "app/client/failure.hpp"

#include <fmt/format.h>

#include <iostream>

#include <unistd.h>

namespace postrider::app {

void confirm(const client_options& options, const std::string& what,
             std::int64_t count, std::optional<std::int64_t> expected) {
  if (expected && *expected != count)
    throw failure{exit_refused,
                  fmt::format("there are {}, {} were expected: nothing was "
                              "done\ntry: --expect {}, if that is right",
                              count, *expected, count)};
  const bool terminal = ::isatty(STDIN_FILENO) == 1
                        && ::isatty(STDERR_FILENO) == 1 && !options.no_input;
  if (terminal && !options.yes) {
    fmt::print(stderr, "{}? [y/N] ", what);
    std::fflush(stderr);
    std::string answer;
    std::getline(std::cin, answer);
    if (answer != "y" && answer != "Y" && answer != "yes")
      throw failure{exit_refused, "not confirmed: nothing was done"};
    return;
  }
  if (options.yes && (terminal || expected || count <= 1))
    return;
  throw failure{
      exit_refused,
      fmt::format("{}? Nothing was done.\ntry: --yes{} confirms it "
                  "without a terminal",
                  what, count > 1 ? fmt::format(" --expect {}", count) : "")};
}

} // namespace postrider::app
