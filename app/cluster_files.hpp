#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace postrider::app {

/// PostgreSQL's programs: those of the cluster's own version when there is a
/// cluster, else the newest. Throws `std::runtime_error` that says what to
/// install when there are none.
std::filesystem::path
find_postgres_programs(const std::filesystem::path& cluster);

/// What `postmaster.pid` says.
struct postmaster_file {
  pid_t pid = 0;
  bool ready = false;
};
std::optional<postmaster_file>
read_postmaster_file(const std::filesystem::path& cluster);

/// Whether a process with this id is a PostgreSQL that serves the cluster.
bool serves_cluster(pid_t pid, const std::filesystem::path& cluster);

/// The last lines of a file, for an error text.
std::string last_lines(const std::filesystem::path& file, std::size_t count);

} // namespace postrider::app
