#include "app/unix_user.hpp"

#include "app/child.hpp"

#include <array>
#include <stdexcept>

#include <pwd.h>
#include <unistd.h>

namespace postrider::app {

std::optional<unix_user> find_user(const std::string& name) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)
          != 0
      || !found)
    return std::nullopt;
  return unix_user{name, entry.pw_uid, entry.pw_gid};
}

std::optional<unix_user> service_user() {
  if (::geteuid() != 0)
    return std::nullopt;
  if (auto user = find_user("postrider"))
    return user;
  run({{"/usr/sbin/useradd", "--system", "--user-group", "--no-create-home",
        "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin",
        "postrider"}});
  if (auto user = find_user("postrider"))
    return user;
  if (auto user = find_user("postgres"))
    return user;
  throw std::runtime_error{
      "PostgreSQL refuses to run as root, and no unprivileged account could be "
      "made for it: run `useradd --system postrider`, or start postrider as an "
      "ordinary user"};
}

} // namespace postrider::app
