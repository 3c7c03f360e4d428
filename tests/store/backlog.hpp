#pragma once

#include "core/public_id.hpp"
#include "core/uuid.hpp"
#include "store/settler.hpp"
#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace postrider::testing {

/// A node's identity that is told apart by its first byte.
inline uuid node_of(std::uint8_t number) {
  uuid out;
  out.bytes[0] = number;
  return out;
}

/// Waits for a condition that another thread or the server brings about.
inline bool eventually(const std::function<bool()>& holds) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::yield();
  }
  return true;
}

/// A tenant `t` with open deliveries, as published by SQL. Its endpoints stand
/// in partition 7.
class backlog : public tenancy {
public:
  backlog() : tenancy{postgres_server::shared().migrated_database()} {}

  /// Publishes so many events of this type, one after the other.
  void publish(int count, const std::string& type = "order.created",
               const std::string& payload = "{}") {
    db(fmt::format("select postrider.publish('t', '{}', '{}'::text) "
                   "from generate_series(1, {})",
                   type, payload, count));
  }

  void own(std::uint8_t node, int epoch) {
    db(fmt::format("update postrider.partition set owner = '{}', epoch = {}, "
                   "expires_at = now() + '1 h'",
                   to_string(node_of(node)), epoch));
  }

  /// What a holder under epoch 1 would write of each open delivery, by id.
  std::vector<store::settlement>
  settlements(delivery_state state = delivery_state::succeeded) {
    std::vector<store::settlement> out;
    for (const auto& row : db("select partition, id, endpoint, event, attempts "
                              "from postrider.delivery order by id")) {
      store::settlement one;
      one.partition = static_cast<std::uint16_t>(row[0].as<int>());
      one.epoch = 1;
      one.delivery = row[1].as<std::int64_t>();
      one.endpoint = row[2].as<std::int64_t>();
      one.event = *parse_uuid(row[3].c_str());
      one.attempts = row[4].as<int>();
      one.state = state;
      one.started = std::chrono::steady_clock::now();
      out.push_back(one);
    }
    return out;
  }

  /// Ends what this application's connections are doing, as a network would.
  void cut(const std::string& application) {
    db(fmt::format("select pg_terminate_backend(pid, 20000) "
                   "from pg_stat_activity where application_name = '{}' "
                   "and datname = current_database()",
                   application));
  }
};

} // namespace postrider::testing
