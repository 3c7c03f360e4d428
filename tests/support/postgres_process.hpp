#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace postrider::testing {

/// Runs a PostgreSQL program as an unprivileged user (`postgres` when we are
/// root), with its output in `log`; the server dies with this process. Returns
/// its process id.
pid_t spawn_postgres(const std::string& program,
                     const std::vector<std::string>& arguments,
                     const std::filesystem::path& log);

/// The exit status of such a program.
int wait_for_exit(pid_t process);

/// Gives a folder to the user that `spawn_postgres` runs programs as.
void give_to_postgres(const std::filesystem::path& folder);

} // namespace postrider::testing
