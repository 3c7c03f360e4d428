#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace postrider::store {

struct migration_status {
  int number = 0;
  std::string name;
  bool applied = false;
  std::string applied_at; ///< RFC 3339, empty when not applied
};

/// Schema of the database against the migrations compiled into this binary.
class migrator {
public:
  explicit migrator(std::string url);

  /// Applies what is missing, each in a transaction of its own, under an
  /// advisory lock: safe when several nodes start at once. Returns the names
  /// of what was applied. Throws `broken` when the database is newer than this
  /// binary.
  std::vector<std::string> up();

  std::vector<migration_status> status();

  /// Throws `broken`, saying what to do, unless the schema is exactly what
  /// this binary needs.
  void check();

  /// Makes the time partitions of `event` and `attempt` for the days from
  /// yesterday to `ahead` days from now, where they are missing. Safe at any
  /// time from any number of nodes.
  void make_partitions(int ahead);

private:
  std::string url_;
};

} // namespace postrider::store
