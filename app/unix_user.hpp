#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

namespace postrider::app {

/// An account that a child process is dropped to.
struct unix_user {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

std::optional<unix_user> find_user(const std::string& name);

/// The unprivileged account for PostgreSQL, which refuses to run as root:
/// `postrider`, made when it is missing, or else `postgres`. Nothing when
/// this process is not root and so needs no other account. Throws
/// `std::runtime_error` when there is none and none can be made.
std::optional<unix_user> service_user();

} // namespace postrider::app
