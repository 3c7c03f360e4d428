#pragma once

#include "store/database.hpp"

#include <cstdint>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <vector>

namespace postrider::store {

/// A connection that was opened by our rules.
struct link {
  std::unique_ptr<PGconn, void (*)(PGconn*)> handle{nullptr, &PQfinish};
  std::uint32_t timeline = 0; ///< 0: the server does not tell
  // Where it leads.
  std::string host;
  std::string port;
  int backend = 0;
  /// Set when a commit was told as done without the standby that it has to
  /// wait for: the wait was cancelled, and nobody knows.
  std::unique_ptr<bool> in_doubt = std::make_unique<bool>(false);
};

/// Connects to the primary, within the times that `where` gives, and runs
/// `settings`. The connection is non-blocking. A standby, another cluster and
/// an old primary are refused. Throws `error`, with no part of the URL in it.
link open_link(const database& where, const std::string& name,
               const std::vector<std::string>& settings = {});

/// Asks the server of a connection that is given up to end what it does there,
/// on another connection, so that no backend waits on for nobody. Takes a few
/// seconds at most and never throws.
void cancel(const database& where, const link& given_up) noexcept;

} // namespace postrider::store
