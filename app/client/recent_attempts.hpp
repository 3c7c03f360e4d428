#pragma once

#include "app/client/api_session.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace postrider::app {

/// Looks for attempts that have ended since the last look. What commits late
/// is still found: each look goes back some seconds and drops what was there.
class recent_attempts {
public:
  /// `query` filters the list of the API; the first look gives the `first`
  /// latest ones.
  recent_attempts(api_session& api, std::string query, std::size_t first);

  struct look {
    std::vector<std::string> rows; ///< each its JSON, in the order they ended
    bool cut = false;              ///< there were more than one look holds
  };
  look next();

private:
  using time = std::chrono::sys_time<std::chrono::milliseconds>;

  api_session& api_;
  std::string query_;
  std::size_t first_;
  bool begun_ = false;
  time newest_{};
  std::map<std::string, time> seen_; ///< by id, of the last seconds
};

} // namespace postrider::app
