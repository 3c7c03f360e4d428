#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace postrider::testing {

/// What a resolver asks.
struct dns_question {
  std::string name; ///< lower case, without the dot at its end
  bool v6 = false;  ///< AAAA, else A
  int number = 0;   ///< how many of this name and kind came before
};

/// A DNS server on 127.0.0.1 (UDP, any free port) that answers by script, with
/// a time to live of 0.
class dns_server {
public:
  /// Addresses as text; nothing for a name that does not exist. Called on the
  /// server's thread.
  using script = std::function<std::optional<std::vector<std::string>>(
      const dns_question&)>;

  explicit dns_server(script how);
  ~dns_server();
  dns_server(const dns_server&) = delete;
  dns_server& operator=(const dns_server&) = delete;

  /// How it takes questions from now on.
  enum class mood { answering, failing /* SERVFAIL */, silent };
  void be(mood now) { mood_ = now; }

  std::uint16_t port() const { return port_; }
  /// Questions for A records so far: one for each lookup.
  int lookups() const { return lookups_; }

private:
  void serve();
  std::string answer(const std::string& query);

  script how_;
  int socket_;
  std::uint16_t port_ = 0;
  std::vector<std::string> asked_;
  std::atomic<int> lookups_{0};
  std::atomic<mood> mood_{mood::answering};
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

} // namespace postrider::testing
