#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace postrider::store {

/// Rows in numbers for which one call each would take too long, as a benchmark
/// needs them. Each call is one statement or few. Not while a node is at work,
/// but for `hold_horizon`. Throws `error`; not thread-safe.
class bench_rows {
public:
  explicit bench_rows(const std::string& url);
  ~bench_rows();

  using endpoint_ids = std::span<const std::int64_t>;

  /// Endpoints that nobody writes to.
  struct idle_endpoints {
    std::string tenant;
    std::string url;
    std::size_t count = 0;
    std::string secret_key; ///< 32 bytes, that their secrets are sealed with
  };
  /// All by one statement; their `uid` begins with `idle-`.
  void make_idle(const idle_endpoints& what);
  void remove_idle(const std::string& tenant);

  /// What stands in a payload before the number of the event, between that and
  /// the moment it was meant for, and behind.
  struct payload_parts {
    std::string before_number;
    std::string before_moment;
    std::string rest;
    std::size_t number_digits = 0;
    std::size_t moment_digits = 0;
  };

  /// Events of one type with one delivery each, as `publish` would have left
  /// them: event n goes to endpoint n modulo their number.
  struct backlog {
    endpoint_ids endpoints;
    std::string tenant;
    std::string type;
    std::uint64_t first = 0; ///< number of the first event
    std::uint64_t count = 0;
    std::int64_t moment = 0;
    bool held = false;
    payload_parts payload;
  };
  void write_backlog(const backlog& what);

  /// As an operator does.
  void pause(std::int64_t endpoint);

  /// Makes every retry of these endpoints due now; how many there were.
  std::int64_t make_due(endpoint_ids endpoints);

  /// From now on the database keeps what it could forget, as for a long
  /// report; until this object ends.
  void hold_horizon();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
