#include "app/embedded_postgres.hpp"

#include "app/cluster_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/un.h>
#include <unistd.h>

namespace postrider::app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view socket_name = ".s.PGSQL.5432";
constexpr std::string_view owner = "postrider"; // of the cluster, in SQL

// What may be tuned in the cluster's own file; what must hold is given on the
// command line.
constexpr std::string_view settings = R"(
# Written by postrider when it made this cluster.
shared_buffers = 512MB
max_wal_size = 4GB
checkpoint_timeout = 15min
checkpoint_completion_target = 0.9
wal_compression = lz4
random_page_cost = 1.1
effective_io_concurrency = 200
log_checkpoints = off
)";

bool wait_until(std::chrono::milliseconds limit,
                const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

void give_to(const fs::path& path, const std::optional<unix_user>& user) {
  if (user && ::chown(path.c_str(), user->uid, user->gid) != 0)
    throw std::runtime_error{fmt::format("can't give {} to {}: {}",
                                         path.string(), user->name,
                                         std::strerror(errno))};
}

} // namespace

embedded_postgres::embedded_postgres(fs::path folder)
    : folder_{fs::absolute(std::move(folder))},
      data_{folder_ / "data"},
      socket_folder_{folder_ / "run"},
      user_{service_user()} {
  if ((socket_folder_ / socket_name).string().size()
      >= sizeof(sockaddr_un::sun_path))
    throw std::runtime_error{fmt::format(
        "{} is too long a name for a folder with a Unix socket: choose one of "
        "at most {} bytes",
        folder_.string(), sizeof(sockaddr_un::sun_path) - 20)};
  programs_ = find_postgres_programs(data_);
  prepare_folder();
  lock();
  try {
    clear_leftovers();
    if (!fs::exists(data_))
      make_cluster();
    start();
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

embedded_postgres::~embedded_postgres() {
  stop();
  ::close(lock_);
}

std::string embedded_postgres::url() const {
  std::string host;
  for (const char c : socket_folder_.string())
    if (std::strchr("%?&#= +", c))
      host += fmt::format("%{:02X}", c);
    else
      host += c;
  return fmt::format("postgresql:///postrider?host={}&user={}", host, owner);
}

void embedded_postgres::prepare_folder() {
  std::error_code fault;
  fs::create_directories(folder_, fault);
  if (fault)
    throw std::runtime_error{
        fmt::format("can't make {}: {}", folder_.string(), fault.message())};
  if (fs::is_empty(folder_)) {
    fs::permissions(folder_, fs::perms::owner_all);
    give_to(folder_, user_);
  }
  const auto reached =
      run({{"/usr/bin/test", "-r", folder_.string(), "-a", "-w",
            folder_.string(), "-a", "-x", folder_.string()},
           user_});
  if (reached.status != 0)
    throw std::runtime_error{fmt::format(
        "{} can't be used by {}, under which PostgreSQL runs: choose an empty "
        "folder in a place that this account can reach, such as /var/lib",
        folder_.string(), user_ ? user_->name : "this account")};
  fs::create_directories(socket_folder_);
  fs::permissions(socket_folder_, fs::perms::owner_all);
  give_to(socket_folder_, user_);
}

void embedded_postgres::lock() {
  const auto name = folder_ / "lock";
  lock_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0)
    throw std::runtime_error{
        fmt::format("can't open {}: {}", name.string(), std::strerror(errno))};
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw std::runtime_error{fmt::format(
        "another postrider uses {}: stop it, or choose another folder",
        folder_.string())};
  }
}

void embedded_postgres::make_cluster() {
  // Made aside and renamed at the end: what is called `data` is complete.
  const auto unfinished = folder_ / "data.new";
  fs::remove_all(unfinished);
  const auto made =
      run({{(programs_ / "initdb").string(), "--pgdata", unfinished.string(),
            "--username", std::string{owner}, "--auth", "trust", "--encoding",
            "UTF8", "--locale", "C.UTF-8", "--data-checksums"},
           user_});
  if (made.status != 0)
    throw std::runtime_error{fmt::format("initdb failed:\n{}", made.output)};
  std::ofstream{unfinished / "postgresql.conf", std::ios::app} << settings;
  const auto created = run({{(programs_ / "postgres").string(), "--single",
                             "-D", unfinished.string(), "postgres"},
                            user_},
                           "create database postrider\n");
  if (created.status != 0)
    throw std::runtime_error{
        fmt::format("can't make the database:\n{}", created.output)};
  fs::rename(unfinished, data_);
}

void embedded_postgres::clear_leftovers() {
  const auto left = read_postmaster_file(data_);
  if (!left)
    return;
  // It was told to end when its postrider died; give it the time.
  const bool ended =
      wait_until(30s, [&] { return !serves_cluster(left->pid, data_); });
  if (!ended)
    throw std::runtime_error{fmt::format(
        "a PostgreSQL of an earlier run (process {}) still serves {}: end it "
        "with `kill -INT {}`",
        left->pid, data_.string(), left->pid)};
  // Its number may belong to any process by now, which would make PostgreSQL
  // refuse to start.
  fs::remove(data_ / "postmaster.pid");
}

void embedded_postgres::start() {
  const auto log = folder_ / "postgres.log";
  server_ = std::make_unique<child>(child_options{
      .arguments = {(programs_ / "postgres").string(), "-D", data_.string(),
                    "-c", "listen_addresses=", "-c",
                    fmt::format("unix_socket_directories={}",
                                socket_folder_.string()),
                    "-c", "unix_socket_permissions=0700", "-c", "port=5432",
                    "-c", "fsync=on", "-c", "synchronous_commit=on", "-c",
                    "full_page_writes=on"},
      .user = user_,
      .folder = {},
      .log = log.string()});
  const bool decided = wait_until(120s, [this] {
    const auto file = read_postmaster_file(data_);
    return server_->status()
           || (file && file->ready && file->pid == server_->pid());
  });
  if (server_->status())
    throw std::runtime_error{fmt::format("PostgreSQL did not start; {} ends:\n"
                                         "{}",
                                         log.string(), last_lines(log, 8))};
  if (!decided)
    throw std::runtime_error{fmt::format(
        "PostgreSQL was not ready after 2 minutes; see {}", log.string())};
}

void embedded_postgres::stop() {
  if (!server_)
    return;
  const auto ended = [this] { return server_->status().has_value(); };
  server_->signal(SIGINT);
  if (!wait_until(60s, ended))
    stop_at_once();
  server_.reset();
}

void embedded_postgres::stop_at_once() {
  if (!server_)
    return;
  server_->signal(SIGQUIT);
  wait_until(5s, [this] { return server_->status().has_value(); });
}

} // namespace postrider::app
