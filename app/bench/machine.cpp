#include "app/bench/machine.hpp"

#include <fstream>
#include <sstream>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

namespace postrider::app {

machine_facts read_machine() {
  machine_facts found;
  found.cores = std::thread::hardware_concurrency();
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      if (const auto colon = line.find(": "); colon != std::string::npos)
        found.model = line.substr(colon + 2);
      break;
    }
  utsname names{};
  if (::uname(&names) == 0)
    found.kernel = std::string{names.sysname} + " " + names.release;
  return found;
}

double machine_busy() {
  std::ifstream file{"/proc/stat"};
  std::string line;
  std::getline(file, line);
  std::istringstream words{line};
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  double hard = 0;
  double soft = 0;
  double stolen = 0;
  words >> name >> user >> nice >> system >> idle >> waiting >> hard >> soft
      >> stolen;
  return (user + nice + system + hard + soft + stolen)
         / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace postrider::app
