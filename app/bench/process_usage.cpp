#include "app/bench/process_usage.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace postrider::app {

namespace {

struct process_stat {
  std::string name;
  pid_t parent = 0;
  double own = 0;    ///< seconds
  double reaped = 0; ///< of children that have ended
};

/// See proc(5). The name may hold blanks and parentheses.
std::optional<process_stat> read_stat(pid_t process) {
  std::ifstream file{fmt::format("/proc/{}/stat", process)};
  std::string line;
  if (!std::getline(file, line))
    return std::nullopt;
  const auto open = line.find('(');
  const auto close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos)
    return std::nullopt;
  process_stat found;
  found.name = line.substr(open + 1, close - open - 1);
  std::istringstream rest{line.substr(close + 1)};
  std::string skipped;
  rest >> skipped >> found.parent;
  for (int i = 0; i < 9; ++i)
    rest >> skipped;
  double user = 0;
  double system = 0;
  double reaped_user = 0;
  double reaped_system = 0;
  rest >> user >> system >> reaped_user >> reaped_system;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  found.own = (user + system) / ticks;
  found.reaped = (reaped_user + reaped_system) / ticks;
  return found;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  std::error_code fault;
  for (const auto& one : std::filesystem::directory_iterator{"/proc", fault}) {
    const auto name = one.path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0)
      continue;
    const auto process = static_cast<pid_t>(std::stol(name));
    const auto stat = read_stat(process);
    if (stat && stat->parent == parent)
      found.push_back(process);
  }
  return found;
}

/// A value in KiB of a file of `Name: 17 kB` lines, in bytes.
std::int64_t read_size(const std::string& path, const std::string& name) {
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) {
      std::istringstream rest{line.substr(name.size() + 1)};
      std::int64_t size = 0;
      rest >> size;
      return size * 1024;
    }
  return 0;
}

} // namespace

double cpu_of(pid_t process) {
  const auto stat = read_stat(process);
  return stat ? stat->own : 0;
}

double cpu_of_family(pid_t parent) {
  const auto stat = read_stat(parent);
  if (!stat)
    return 0;
  double sum = stat->own + stat->reaped;
  for (const auto child : children_of(parent))
    sum += cpu_of(child);
  return sum;
}

std::int64_t peak_memory(pid_t process) {
  return read_size(fmt::format("/proc/{}/status", process), "VmHWM");
}

std::int64_t resident_memory(pid_t process) {
  return read_size(fmt::format("/proc/{}/status", process), "VmRSS");
}

std::int64_t family_memory(pid_t parent) {
  const auto share = [](pid_t process) {
    return read_size(fmt::format("/proc/{}/smaps_rollup", process), "Pss");
  };
  auto sum = share(parent);
  for (const auto child : children_of(parent))
    sum += share(child);
  return sum;
}

pid_t parent_of_same_name(pid_t process) {
  const auto stat = read_stat(process);
  const auto parent = stat ? read_stat(stat->parent) : std::nullopt;
  return parent && parent->name == stat->name ? stat->parent : 0;
}

} // namespace postrider::app
