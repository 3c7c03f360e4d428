#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace postrider::testing {

struct shell_result {
  int code = -1;
  std::string output; ///< both streams
};

/// Runs a command of the shell to its end.
inline shell_result shell(const std::string& command) {
  FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (!pipe)
    throw std::runtime_error{"no shell"};
  shell_result out;
  char buffer[4096];
  for (std::size_t got = 0;
       (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    out.output.append(buffer, got);
  const int status = ::pclose(pipe);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

} // namespace postrider::testing
