#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace postrider::store {

/// What a node should know of its database before it trusts it.
struct database_facts {
  std::string name;
  std::string user;
  std::string version;                ///< such as `15.20`
  int version_number = 0;             ///< such as 150020
  std::chrono::milliseconds ahead{0}; ///< the database's clock against ours
  /// Settings that give durability away, each `name=value`.
  std::vector<std::string> unsafe;
  bool read_only = false; ///< a standby, or it refuses writes
  int connections = 0;    ///< open, of all
  int max_connections = 0;
  bool has_schema = false;
  /// Rights that are missing, each `insert on postrider.delivery`.
  std::vector<std::string> missing_rights;
  /// Until when there are time partitions of both tables, in days from today;
  /// nothing without any.
  std::optional<int> days_ahead;
};

/// Asks the database; changes nothing. Throws `error`.
database_facts facts_of(const std::string& url);

} // namespace postrider::store
