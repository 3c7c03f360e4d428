#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace postrider::store {

/// What a benchmark asks of the database that it works on. Throws `error`; not
/// thread-safe.
class workbench {
public:
  explicit workbench(std::string url);
  ~workbench();

  using names = std::span<const std::string>;
  using endpoint_ids = std::span<const std::int64_t>;

  /// Whether it holds events, deliveries or endpoints of other tenants. What
  /// the engine has told its operators is no such event.
  bool foreign(names tenants);
  /// Whether any delivery of these tenants is open.
  bool anything_open(names tenants);

  /// The tenants' live endpoints as rows name them, in the order in which they
  /// were made.
  std::vector<std::int64_t> endpoints(names tenants);
  /// Deliveries that are open for them.
  std::int64_t open(endpoint_ids endpoints);
  /// Whether any is; cheaper.
  bool anything_open(endpoint_ids endpoints);
  /// Deliveries that are held for them.
  std::int64_t held(endpoint_ids endpoints);
  /// Drops what is open for them and what is known of their health, without a
  /// trace. Not while a node is at work.
  void forget(endpoint_ids endpoints);
  /// The highest delivery id that was drawn.
  std::int64_t last_delivery();

  /// What was stored beyond a delivery id.
  struct stored {
    std::int64_t succeeded = 0; ///< deliveries that ended so
    std::int64_t attempts = 0;  ///< all of them
    std::int64_t sent = 0;      ///< of them: those that were requests
  };
  stored since(endpoint_ids endpoints, std::int64_t delivery);

  /// Changes of the health of endpoints of a tenant that were told so far.
  struct health_moves {
    std::int64_t down = 0; ///< for the worse
    std::int64_t up = 0;
  };
  health_moves moves(const std::string& tenant);

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
  /// Whether so many nodes hold all of them, each its fair share.
  bool shared_by(int nodes);

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
