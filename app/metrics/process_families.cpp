#include "app/metrics/families.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

// Nothing but /proc/self is read: in a sandbox the rest of /proc is hidden.

namespace postrider::app::metrics {

namespace {

/// The fields of /proc/self/stat from the third on: the second may hold blanks.
std::vector<std::string> stat_fields() {
  std::ifstream in{"/proc/self/stat"};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto end = text.rfind(')');
  std::istringstream rest{end == std::string::npos ? "" : text.substr(end + 1)};
  std::vector<std::string> out{"", "", ""};
  for (std::string word; rest >> word;)
    out.push_back(word);
  return out;
}

double number(const std::vector<std::string>& fields, std::size_t which) {
  return which < fields.size() ? std::strtod(fields[which].c_str(), nullptr)
                               : 0;
}

std::size_t open_files() {
  std::error_code fault;
  std::filesystem::directory_iterator all{"/proc/self/fd", fault};
  std::size_t out = 0;
  for (; !fault && all != std::filesystem::directory_iterator{};
       all.increment(fault))
    ++out;
  return out == 0 ? 0 : out - 1; // one is that of this reading
}

/// From the start of the machine to that of the process, against now.
double started_at(const std::vector<std::string>& fields) {
  using namespace std::chrono;
  timespec up{};
  clock_gettime(CLOCK_BOOTTIME, &up);
  const auto since_boot =
      static_cast<double>(up.tv_sec) + static_cast<double>(up.tv_nsec) / 1e9;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const duration<double> now = system_clock::now().time_since_epoch();
  return now.count() - since_boot + number(fields, 22) / ticks;
}

} // namespace

void add_process(page& to) {
  // Counted as proc(5) does, from 1.
  const auto fields = stat_fields();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& of) {
    return static_cast<double>(of.tv_sec)
           + static_cast<double>(of.tv_usec) / 1e6;
  };
  to.counter("process_cpu_seconds_total", "Processor time used.",
             seconds(used.ru_utime) + seconds(used.ru_stime));
  to.gauge("process_resident_memory_bytes", "Memory in use.",
           number(fields, 24) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  to.gauge("process_virtual_memory_bytes", "Address space in use.",
           number(fields, 23));
  to.gauge("process_threads", "Threads.", number(fields, 20));
  to.gauge("process_open_fds", "Open file descriptors.",
           static_cast<double>(open_files()));
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  to.gauge("process_max_fds", "How many may be open.",
           static_cast<double>(most.rlim_cur));
  to.gauge("process_start_time_seconds", "When the process began.",
           started_at(fields));
}

} // namespace postrider::app::metrics
