#pragma once

#include "app/child.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace postrider::app {

/// A private PostgreSQL in a folder: made when it is not there, reached over
/// a Unix socket that only its own account and root can open, with durable
/// settings. Runs as a child under an unprivileged account when we are root.
///
/// The folder holds `data` (the cluster), `run` (the socket), `postgres.log`
/// and `lock`, which keeps a second postrider out.
class embedded_postgres {
public:
  /// Makes, recovers and starts it, and waits until it takes connections.
  /// Throws `std::runtime_error` that says what to do. Call it on the main
  /// thread.
  explicit embedded_postgres(std::filesystem::path folder);
  /// Stops it.
  ~embedded_postgres();
  embedded_postgres(const embedded_postgres&) = delete;
  embedded_postgres& operator=(const embedded_postgres&) = delete;

  /// Of the database `postrider` in it.
  std::string url() const;
  /// The account that owns the folder; ours when absent.
  const std::optional<unix_user>& user() const noexcept { return user_; }
  /// Where `psql` and the others are.
  const std::filesystem::path& programs() const noexcept { return programs_; }

  /// Of the server; 0 when it has ended.
  pid_t pid() const noexcept { return server_ ? server_->pid() : 0; }

  /// Ends its sessions, writes everything down and stops. Idempotent.
  void stop();
  /// Ends it within moments; the next start recovers.
  void stop_at_once();

private:
  void lock();
  void prepare_folder();
  void make_cluster();
  void clear_leftovers();
  void start();

  std::filesystem::path folder_;
  std::filesystem::path data_;
  std::filesystem::path socket_folder_;
  std::optional<unix_user> user_;
  std::filesystem::path programs_;
  int lock_ = -1;
  std::unique_ptr<child> server_;
};

} // namespace postrider::app
