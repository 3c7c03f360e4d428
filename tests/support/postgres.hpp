#pragma once

#include <memory>
#include <string>

namespace postrider::testing {

/// A private PostgreSQL cluster: `initdb` in a temporary folder as an
/// unprivileged user, a Unix socket only, durable settings. One is shared by
/// all tests of a process; tests that stop or kill the server make their own.
class postgres_server {
public:
  postgres_server();
  ~postgres_server(); ///< stops it and removes the folder

  /// The server that the tests of this process share; started at first use,
  /// or the one that POSTRIDER_TEST_PG names (set by tests/run, so that the
  /// suite starts one cluster and not one per executable).
  static postgres_server& shared();

  /// A connection string for that database.
  std::string url(const std::string& database) const;

  /// Makes an empty database of its own for a test and returns its URL. (The
  /// product's schema has a fixed name, so the unit of isolation is the
  /// database; a migrated template makes this fast.)
  std::string fresh_database();
  /// The same with the migrations applied.
  std::string migrated_database();

  void stop_immediate(); ///< as a crash
  void start();

private:
  explicit postgres_server(const std::string& url); ///< of a running one

  struct state;
  std::unique_ptr<state> state_;
};

} // namespace postrider::testing
