#include "tests/support/postgres_process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace postrider::testing {

namespace {

const passwd* unprivileged() {
  if (::geteuid() != 0)
    return nullptr;
  const passwd* user = ::getpwnam("postgres");
  if (user == nullptr)
    throw std::runtime_error{"PostgreSQL refuses to run as root and there is "
                             "no user `postgres`"};
  return user;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

} // namespace

pid_t spawn_postgres(const std::string& program,
                     const std::vector<std::string>& arguments,
                     const std::filesystem::path& log) {
  const auto path = std::string{POSTRIDER_PG_BIN} + "/" + program;
  std::vector<const char*> words{path.c_str()};
  for (const auto& argument : arguments)
    words.push_back(argument.c_str());
  words.push_back(nullptr);
  const passwd* user = unprivileged();
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (out < 0)
    fail("open the log of PostgreSQL");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    fail("fork");
  if (child > 0) {
    ::close(out);
    return child;
  }
  // Only calls that are safe after a fork in a threaded process.
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::setsid(); // an interrupt at the terminal is for the test
  if (user != nullptr
      && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
    ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT); // after setuid, which clears it
  if (::getppid() != parent || ::chdir("/") != 0)
    ::_exit(126);
  ::execv(path.c_str(), const_cast<char* const*>(words.data()));
  ::_exit(127);
}

int wait_for_exit(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR)
      fail("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void give_to_postgres(const std::filesystem::path& folder) {
  if (const passwd* user = unprivileged())
    if (::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0)
      fail("chown");
}

} // namespace postrider::testing
