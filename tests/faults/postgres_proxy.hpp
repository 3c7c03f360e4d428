#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace postrider::testing {

/// Stands between an engine and its database and can lose an answer: the
/// statement has run and is committed, and the connection is reset before the
/// engine hears of it.
class postgres_proxy {
public:
  /// `loses` is asked for each run of a prepared statement, by its name, on a
  /// thread of the proxy.
  postgres_proxy(const std::string& url,
                 std::function<bool(std::string_view)> loses);
  ~postgres_proxy();

  /// Of the same database through the proxy.
  std::string url() const;
  /// Answers lost so far.
  int lost() const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace postrider::testing
