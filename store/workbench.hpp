#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <sys/types.h>

namespace postrider::store {

/// What a benchmark asks of the database that it works on. Throws `error`; not
/// thread-safe.
class workbench {
public:
  explicit workbench(std::string url);
  ~workbench();

  /// Whether it holds events, deliveries or endpoints of a tenant other than
  /// this one.
  bool foreign(const std::string& tenant);

  /// Deliveries of the tenant that are open.
  std::int64_t open(const std::string& tenant);
  /// Whether any is; cheaper.
  bool anything_open(const std::string& tenant);
  /// The highest delivery id that was drawn.
  std::int64_t last_delivery();

  /// What was stored beyond a delivery id.
  struct stored {
    std::int64_t succeeded = 0; ///< deliveries that ended so
    std::int64_t attempts = 0;  ///< all of them
  };
  stored since(const std::string& tenant, std::int64_t delivery);

  /// Vacuums and analyses the engine's tables, and writes a checkpoint. False
  /// when the account may not do the latter.
  bool settle();

  /// Whether a node holds a lease now.
  bool in_use();

  /// For the next ten minutes no node gets a lease: what comes in is not sent.
  /// Not while a node holds one.
  void keep_leases();
  /// Frees every lease, whoever holds it: those that were kept, and those of a
  /// node that ended without a word.
  void free_leases();
  /// Whether every partition is leased.
  bool leased();

  /// Bytes of WAL that were written so far.
  std::int64_t wal();
  /// The process id of the server of this connection as its host counts.
  pid_t backend();
  /// The server's version, and its settings that matter for speed.
  std::map<std::string, std::string> settings();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
