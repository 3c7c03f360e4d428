#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace postrider::store {

/// Which server was seen: a cluster, and how often a standby of it was
/// promoted.
struct server_identity {
  std::string system;
  std::uint32_t timeline = 0;
};

/// What all connections to one database have seen of its server, so that none
/// writes to an old primary that has come back after a failover. Thread-safe.
class known_server {
public:
  /// Empty when `found` is the server that was seen, or its successor; else
  /// what is wrong with it.
  std::string judge(const server_identity& found);
  /// Whether a connection of that timeline was left behind by a failover.
  bool overtaken(std::uint32_t timeline) const;

private:
  mutable std::mutex mutex_;
  std::optional<server_identity> seen_;
};

/// A database and how long it may take. Every wait for it ends: the server
/// ends a statement at the two timeouts, and when it is silent beyond them the
/// connection is given up.
struct database {
  // A URL is the usual way to say it.
  template <class Text>
  requires std::convertible_to<Text, std::string>
  database(Text&& where) // NOLINT(google-explicit-constructor)
      : url{std::forward<Text>(where)} {}

  std::string url;
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds lock_timeout{5'000};
  /// Beyond the statement timeout.
  std::chrono::milliseconds silence{3'000};
  /// Shared by those who want the same server.
  std::shared_ptr<known_server> known = std::make_shared<known_server>();
  /// For those who only look: a standby will do.
  bool standby_too = false;
};

} // namespace postrider::store
