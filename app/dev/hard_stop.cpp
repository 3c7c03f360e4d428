#include "app/dev/hard_stop.hpp"

#include "app/exit_code.hpp"
#include "app/stop_signals.hpp"

#include <chrono>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace postrider::app {

namespace {

[[noreturn]] void end_now(pid_t database, const work_folder& folder) {
  using namespace std::chrono_literals;
  if (database > 0)
    ::kill(database, SIGQUIT);
  for (int i = 0; i < 200 && ::waitpid(database, nullptr, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(10ms);
  folder.remove();
  ::_exit(exit_interrupted);
}

} // namespace

hard_stop::hard_stop(pid_t database, const work_folder& folder)
    : thread_{[this, database, &folder] {
        stop_signals signals;
        while (!ending_)
          if (signals.wait_for(std::chrono::milliseconds{50}))
            end_now(database, folder);
      }} {}

hard_stop::~hard_stop() {
  ending_ = true;
  thread_.join();
}

} // namespace postrider::app
