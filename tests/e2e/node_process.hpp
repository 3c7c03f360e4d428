#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace postrider::testing {

/// `postrider serve` in a process of its own, with ports of its own choice.
class node_process {
public:
  /// Settings by their environment names without the prefix, such as
  /// `DELIVERY__LEASE`, and other variables with a `$` before their name;
  /// `flags` stand behind `serve`. Waits until the node has written its ports.
  explicit node_process(std::map<std::string, std::string> settings,
                        std::vector<std::string> flags = {});
  ~node_process(); ///< kills it if it still runs
  node_process(const node_process&) = delete;
  node_process& operator=(const node_process&) = delete;

  std::uint16_t api_port() const { return api_port_; }
  std::uint16_t admin_port() const { return admin_port_; }
  pid_t pid() const { return pid_; }

  void signal(int number);
  /// Its exit code, or 128 and the signal; -1 when it still runs at the end
  /// of the limit.
  int wait(std::chrono::milliseconds limit = std::chrono::seconds{40});
  /// What it has written to its log so far.
  std::string log() const;

private:
  void read_ports();

  pid_t pid_ = -1;
  int status_ = -1;
  bool ended_ = false;
  std::string log_;
  std::uint16_t api_port_ = 0;
  std::uint16_t admin_port_ = 0;
};

} // namespace postrider::testing
