#pragma once

#include "tests/faults/ledger_file.hpp"
#include "tests/support/receiver.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace postrider::testing {

/// A receiver that keeps a ledger of every whole request and of every byte
/// decision, and verifies signatures by its own means.
class ledger_receiver {
public:
  /// What it answers is up to `how`, as for `receiver`.
  ledger_receiver(ledger_file& ledger, receiver::behaviour how);

  std::string url(const std::string& path) const { return shop_.url(path); }
  /// Requests for `path` are those of this endpoint.
  void expect(const std::string& path, const std::string& endpoint,
              const std::string& secret);
  bool wait_for(std::size_t arrivals,
                std::chrono::milliseconds limit = std::chrono::seconds{
                    30}) const {
    return shop_.wait_for(arrivals, limit);
  }
  std::size_t count() const { return count_; }
  receiver& raw() { return shop_; }

private:
  struct known {
    std::string endpoint;
    std::string secret;
  };
  struct conversation {
    std::int64_t number = 0;
    std::string sent;
    bool decided = false;
  };

  script arrived(const arrival& got);
  void performed(const arrival& of, const step& done);

  ledger_file& ledger_;
  receiver::behaviour how_;
  std::mutex mutex_;
  std::map<std::string, known> known_;
  std::map<int, conversation> talks_; ///< by connection
  std::atomic<std::size_t> count_{0};
  std::int64_t run_ = 0; ///< tells the arrivals of two receivers apart
  receiver shop_;
};

/// In lower-case hex.
std::string sha256_hex(std::string_view bytes);

} // namespace postrider::testing
