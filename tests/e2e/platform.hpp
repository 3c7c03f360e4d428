#pragma once

#include "tests/e2e/node_process.hpp"
#include "tests/support/postgres.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/receiver.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::testing {

/// A platform as its users run it: a migrated database, nodes in processes of
/// their own, and calls of the API. Loopback receivers are allowed.
class platform {
public:
  platform();
  /// On a server of the test's own, which it may stop and kill.
  explicit platform(postgres_server& server);
  /// On a database that is there, whatever is in it.
  explicit platform(std::string url);

  /// Starts a node and waits until it is ready. `settings` as `node_process`
  /// takes them, and `flags` too.
  node_process& start(std::map<std::string, std::string> settings = {},
                      bool until_ready = true,
                      std::vector<std::string> flags = {});
  std::vector<std::unique_ptr<node_process>>& nodes() { return nodes_; }

  raw_answer call(const node_process& at, std::string_view method,
                  std::string_view path, std::string_view body = "",
                  const std::vector<header>& headers = {});
  /// At the first node that still runs.
  raw_answer call(std::string_view method, std::string_view path,
                  std::string_view body = "",
                  const std::vector<header>& headers = {});

  void tenant(const std::string& id = "acme");
  /// Creates an endpoint; `more` is further members such as
  /// `"ordering_key":"event"`. Returns its public id.
  std::string endpoint(const std::string& url, const std::string& types = "*",
                       const std::string& more = "");
  /// The secret that the last endpoint was given.
  const std::string& secret() const { return secret_; }
  /// Posts an event of `acme`; returns the event's id.
  std::string send(const std::string& type, const std::string& payload,
                   const std::string& more = "");

  /// One value by SQL, as text.
  std::string sql(const std::string& statement) const;
  /// Waits until no delivery is open.
  bool settled(std::chrono::milliseconds limit = std::chrono::seconds{60});

  const std::string& url() const { return url_; }
  const std::string& key() const { return key_; }

private:
  std::string url_;
  std::string key_ = "pr_test_0123456789abcdef0123456789abcdef";
  std::string secret_;
  std::vector<std::unique_ptr<node_process>> nodes_;
};

/// What a receiver saw of each delivery, in the order of arrival.
struct sighting {
  std::string id; ///< `webhook-id`
  std::int64_t sequence = 0;
  int attempt = 0;
  std::string body;
};
std::vector<sighting> sightings(const receiver& at);

/// The string member `name` of a flat piece of JSON; empty when it is absent.
std::string member(const std::string& json, const std::string& name);

} // namespace postrider::testing
