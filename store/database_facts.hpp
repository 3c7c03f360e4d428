#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
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
  /// How many days ago the oldest of them began.
  std::optional<int> oldest_event_day;
  std::optional<int> oldest_attempt_day;
};

/// The settings that have to be on for what was accepted to be kept.
inline constexpr std::array<std::string_view, 3> durable_settings{
    "fsync", "full_page_writes", "synchronous_commit"};
/// Those of them that are off for the user and the database of the URL, as
/// bits. Throws `error`.
unsigned unsafe_settings(const std::string& url);
/// `fsync=off, …` for such bits.
std::string describe_settings(unsigned bits);

/// Asks the database; changes nothing. Throws `error`.
database_facts facts_of(const std::string& url);

} // namespace postrider::store
