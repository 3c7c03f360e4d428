#include "tests/e2e/node_process.hpp"

#include "tests/support/eventually.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <vector>

namespace postrider::testing {

namespace {

std::string temporary_file() {
  auto pattern =
      (std::filesystem::temp_directory_path() / "postrider-node-XXXXXX")
          .string();
  const int made = mkstemp(pattern.data());
  if (made < 0)
    throw std::runtime_error{"no temporary file for a node's log"};
  close(made);
  return pattern;
}

} // namespace

node_process::node_process(std::map<std::string, std::string> settings,
                           std::vector<std::string> flags)
    : log_{temporary_file()} {
  std::vector<std::string> environment;
  for (const auto& [name, value] : settings)
    environment.push_back(name.starts_with('$')
                              ? name.substr(1) + "=" + value
                              : "POSTRIDER_" + name + "=" + value);
  for (char** entry = environ; *entry; ++entry)
    environment.emplace_back(*entry);
  std::vector<char*> variables;
  for (auto& one : environment)
    variables.push_back(one.data());
  variables.push_back(nullptr);
  std::string program = POSTRIDER_BINARY;
  std::string verb = "serve";
  std::vector<char*> arguments{program.data(), verb.data()};
  for (auto& one : flags)
    arguments.push_back(one.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log_.c_str(),
                                   O_WRONLY | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  const int failed = posix_spawn(&pid_, program.c_str(), &files, nullptr,
                                 arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed)
    throw std::runtime_error{"could not start " + program};
  read_ports();
}

node_process::~node_process() {
  if (wait(std::chrono::milliseconds{0}) < 0) {
    signal(SIGKILL);
    wait();
  }
  std::filesystem::remove(log_);
}

void node_process::signal(int number) {
  if (!ended_)
    kill(pid_, number);
}

int node_process::wait(std::chrono::milliseconds limit) {
  if (ended_)
    return status_;
  eventually(
      [&] {
        int raw = 0;
        if (waitpid(pid_, &raw, WNOHANG) != pid_)
          return false;
        ended_ = true;
        status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
        return true;
      },
      limit);
  return status_;
}

std::string node_process::log() const {
  std::ifstream in{log_};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void node_process::read_ports() {
  const std::regex line{
      "(api on port ([0-9]+)|no api), admin on port ([0-9]+)"};
  const bool said = eventually(
      [&] {
        const auto text = log();
        std::smatch found;
        if (!std::regex_search(text, found, line))
          return wait(std::chrono::milliseconds{0}) >= 0;
        if (found[2].matched)
          api_port_ = static_cast<std::uint16_t>(std::stoi(found[2]));
        admin_port_ = static_cast<std::uint16_t>(std::stoi(found[3]));
        return true;
      },
      std::chrono::seconds{30});
  if (!said || admin_port_ == 0)
    throw std::runtime_error{"the node did not start: " + log()};
}

} // namespace postrider::testing
