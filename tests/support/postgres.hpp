#pragma once

#include <memory>
#include <string>
#include <vector>

namespace postrider::testing {

/// A private PostgreSQL cluster: `initdb` in a temporary folder as an
/// unprivileged user, a Unix socket only, durable settings. One is shared by
/// all tests of a process; tests that stop or kill the server make their own.
class postgres_server {
public:
  /// `settings` as `name=value`; its files are in `place`.
  explicit postgres_server(const std::vector<std::string>& settings = {},
                           const std::string& place = "/tmp");
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

  /// A copy of this server that follows it, called `name` there. For those of
  /// the test's own.
  std::unique_ptr<postgres_server> standby(const std::string& name);
  void promote(); ///< a standby; returns when it accepts writes
  /// A URL that names the servers in this order.
  static std::string url_of(const std::vector<const postgres_server*>& servers,
                            const std::string& database);
  const std::string& folder() const; ///< of its socket and its `data`

  void stop_immediate(); ///< as a crash
  void stop();           ///< in good order
  void start();
  /// Stops all its processes where they are, as a machine that hangs.
  void freeze();
  void thaw();

private:
  struct state;

  explicit postgres_server(std::unique_ptr<state> made);

  std::unique_ptr<state> state_;
};

} // namespace postrider::testing
