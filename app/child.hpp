#pragma once

#include "app/unix_user.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace postrider::app {

struct child_options {
  /// The program's path and its arguments.
  std::vector<std::string> arguments;
  /// The account to run as; ours when absent.
  std::optional<unix_user> user = {};
  /// Where it runs; `/` when empty, so that any account can stand there.
  std::string folder = {};
  /// The file that its output is appended to; ours when empty.
  std::string log = {};
  /// With pipes to its standard input and from its standard output.
  bool piped = false;
};

/// A child process in a process group of its own, so that Ctrl-C on the
/// terminal reaches only us, and told to end (SIGINT) should we die. Variables
/// of the environment named `PG…` are kept from it. Not thread-safe; start it
/// on the main thread, for the kernel counts that thread's end as our death.
class child {
public:
  /// Throws `std::runtime_error` when it can't be started at all.
  explicit child(const child_options& options);
  /// Kills it if it still runs.
  ~child();
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  pid_t pid() const noexcept { return pid_; }
  /// Has a value once it has ended: its exit code, or 128 and the signal.
  std::optional<int> status();
  /// Waits for its end.
  int wait();
  void signal(int number);

  /// Writes the whole text to its standard input; false when it is closed.
  bool write(std::string_view text);
  void close_input();
  /// One line of its standard output without the end; nothing at the end.
  std::optional<std::string> read_line();

private:
  void reap(int options);

  pid_t pid_ = -1;
  std::optional<int> status_;
  int input_ = -1;
  int output_ = -1;
  std::string unread_;
};

struct finished {
  int status = 0;
  std::string output; ///< both streams
};

/// Runs a short command to its end, with `input` as its standard input.
finished run(child_options options, const std::string& input = "");

} // namespace postrider::app
