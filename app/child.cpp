#include "app/child.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace postrider::app {

namespace {

/// Everything that is needed between fork and exec, made before: only calls
/// that are safe after a fork of a process with threads are left.
struct prepared {
  explicit prepared(const child_options& options)
      : user{options.user},
        folder{options.folder.empty() ? "/" : options.folder} {
    for (const auto& one : options.arguments)
      arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    for (char** one = environ; *one; ++one)
      if (!std::string_view{*one}.starts_with("PG"))
        variables.push_back(*one);
    variables.push_back(nullptr);
  }

  std::vector<char*> arguments;
  std::vector<char*> variables;
  std::optional<unix_user> user;
  std::string folder;
  int input = -1;
  int output = -1;
  int errors = -1;
};

[[noreturn]] void become(const prepared& what) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::setpgid(0, 0);
  if (what.input >= 0)
    ::dup2(what.input, STDIN_FILENO);
  if (what.output >= 0)
    ::dup2(what.output, STDOUT_FILENO);
  if (what.errors >= 0)
    ::dup2(what.errors, STDERR_FILENO);
  bool dropped = true;
  if (what.user)
    dropped = ::setgroups(0, nullptr) == 0 && ::setgid(what.user->gid) == 0
              && ::setuid(what.user->uid) == 0;
  // After setuid, which clears it.
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  if (dropped && ::chdir(what.folder.c_str()) == 0)
    ::execve(what.arguments[0], what.arguments.data(), what.variables.data());
  constexpr std::string_view text = "can't run the program\n";
  [[maybe_unused]] const auto ignored =
      ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(127);
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error{fmt::format("{}: {}", what, std::strerror(errno))};
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

} // namespace

child::child(const child_options& options) {
  prepared what{options};
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  int log = -1;
  if (options.piped
      && (::pipe2(in.data(), O_CLOEXEC) != 0
          || ::pipe2(out.data(), O_CLOEXEC) != 0))
    fail("can't make a pipe");
  if (!options.piped && (in[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
    fail("can't open /dev/null");
  if (!options.log.empty()) {
    log = ::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                 0640);
    if (log < 0)
      fail(fmt::format("can't write {}", options.log));
  }
  what.input = in[0];
  what.output = options.piped ? out[1] : log;
  what.errors = log >= 0 ? log : what.output;
  pid_ = ::fork();
  if (pid_ == 0)
    become(what);
  close_if_open(in[0]);
  close_if_open(out[1]);
  close_if_open(log);
  input_ = in[1];
  output_ = out[0];
  if (pid_ < 0)
    fail(fmt::format("can't start {}", options.arguments.front()));
}

child::~child() {
  close_input();
  close_if_open(output_);
  if (!status())
    signal(SIGKILL);
  reap(0);
}

void child::reap(int options) {
  if (status_)
    return;
  int raw = 0;
  pid_t got = 0;
  do
    got = ::waitpid(pid_, &raw, options);
  while (got < 0 && errno == EINTR);
  if (got == pid_)
    status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  else if (got < 0)
    status_ = 127;
}

std::optional<int> child::status() {
  reap(WNOHANG);
  return status_;
}

int child::wait() {
  reap(0);
  return *status_;
}

void child::signal(int number) {
  if (!status_)
    ::kill(pid_, number);
}

bool child::write(std::string_view text) {
  while (!text.empty()) {
    const auto wrote = ::write(input_, text.data(), text.size());
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

void child::close_input() {
  close_if_open(input_);
}

std::optional<std::string> child::read_line() {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      auto line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> buffer{};
    const auto got = ::read(output_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (unread_.empty())
      return std::nullopt;
    return std::exchange(unread_, {});
  }
}

finished run(child_options options, const std::string& input) {
  options.piped = true;
  child running{options};
  running.write(input);
  running.close_input();
  finished done;
  while (const auto line = running.read_line())
    done.output.append(*line).append("\n");
  done.status = running.wait();
  return done;
}

} // namespace postrider::app
