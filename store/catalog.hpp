#pragma once

#include "core/model.hpp"
#include "core/outcome.hpp"
#include "core/public_id.hpp"
#include "store/database.hpp"
#include "store/dead_letters.hpp"
#include "store/health_view.hpp"
#include "store/history.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace postrider::store {

/// The tenant of operational events. The migrations make it; it stays.
inline constexpr const char* operators_tenant = "postrider";

/// What a tenant may use of one node; nothing: as the node's configuration
/// says.
struct tenant_limits {
  std::optional<int> max_in_flight;
  std::optional<double> rate; ///< attempts a second

  friend bool operator==(const tenant_limits&, const tenant_limits&) = default;
};

struct tenant_row {
  std::string id;
  std::string name;
  time_ms created_at;
  tenant_limits limits;
};

/// A change of a tenant: what is absent stays, and 0 is the configuration's.
struct tenant_change {
  std::optional<std::string> name;
  std::optional<int> max_in_flight;
  std::optional<double> rate;
};

/// What a caller may set of an endpoint. In a change, what is absent stays.
struct endpoint_fields {
  std::optional<std::string> url;
  std::optional<std::string> description;
  std::optional<std::vector<std::string>> types; ///< subscription patterns
  std::optional<std::string> ordering;           ///< `none` | `fifo`
  std::optional<std::string> ordering_key;       ///< `endpoint` | `event`
  std::optional<std::string> retry;              ///< `read_retry_policy`
  std::optional<std::vector<header>> headers;
  std::optional<int> max_in_flight;
  std::optional<double> rate;                ///< attempts a second; 0: any
  std::optional<std::string> retry_statuses; ///< empty: the usual ones
  std::optional<std::string> health_policy;  ///< its name
  std::optional<std::chrono::milliseconds> timeout; ///< 0: the node's
  std::optional<std::chrono::milliseconds> connect_timeout;
};

struct endpoint_row {
  uuid id;
  std::string tenant;
  std::string uid;
  std::string url;
  std::string description;
  std::vector<std::string> types;
  std::string ordering;
  std::string ordering_key;
  std::string retry;
  std::vector<header> headers;
  int max_in_flight = 0;
  std::optional<double> rate;
  std::string retry_statuses; ///< empty: the usual ones
  std::string health_policy;
  health_view health;
  std::chrono::milliseconds timeout{0}; ///< 0: the node's
  std::chrono::milliseconds connect_timeout{0};
  std::int64_t version = 0;
  time_ms created_at;
  time_ms updated_at;
};

struct event_row {
  uuid id;
  std::string tenant;
  std::string key;
  std::string type;
  event_kind kind = event_kind::event;
  std::string content_type;
  std::vector<header> headers;
  std::string ordering_key;
  std::string correlation_id;
  std::string producer;
  std::string schema_version;
  std::optional<time_ms> occurred_at;
  time_ms accepted_at;
  std::int64_t size = 0;
  int deliveries = 0;
};

struct payload_row {
  std::string bytes;
  std::string content_type;
};

struct delivery_row {
  delivery_ref id;
  uuid event;
  uuid endpoint;
  std::string tenant;
  delivery_state state = delivery_state::queued;
  end_reason reason = end_reason::none;
  int attempts = 0;
  std::optional<time_ms> due_at;   ///< of a retrying one
  std::optional<time_ms> ended_at; ///< of an ended one
  std::optional<int> last_status;
  std::string last_error;
  /// Of a failed or cancelled one: what went wrong, in one word.
  std::string failure;
};

/// A page by key: rows with an id below `before` (0: from the newest).
struct page {
  std::int64_t before = 0;
  int limit = 50;
};

struct delivery_filter {
  std::optional<std::string> tenant;
  std::optional<uuid> endpoint;
  std::optional<uuid> event;
  std::optional<delivery_state> state;
  /// Of failed ones; the endpoint and the tenant stand above.
  dead_letter_filter dead = {};
};

enum class removal { removed, not_found, in_use, reserved };

enum class retry_answer {
  scheduled,
  not_found,
  wrong_state,
  endpoint_disabled,
  event_dropped, ///< by retention
};

/// The calm questions and changes of the API. Throws `error`; not thread-safe.
/// After a throw the next call connects again.
class catalog {
public:
  explicit catalog(database where);
  ~catalog();

  /// True when the tenant was made, false when it was there and was changed.
  bool put_tenant(const std::string& id, const std::string& name,
                  const tenant_limits& limits = {});
  /// Nothing when there is none.
  std::optional<tenant_row> change_tenant(const std::string& id,
                                          const tenant_change& to);
  std::optional<tenant_row> tenant(const std::string& id);
  /// By id, those behind `after`; one more than `limit` where there are more.
  std::vector<tenant_row> tenants(const std::string& after, int limit);
  /// `in_use` while it has endpoints. What was sent stays on record. The
  /// operators' one is `reserved`.
  removal delete_tenant(const std::string& id);

  /// Nothing when the tenant is unknown. `conflict` when `uid` is taken. The
  /// secret (`keys`, newest first) is sealed at rest.
  std::optional<endpoint_row>
  create_endpoint(const std::string& tenant, const std::string& uid,
                  const endpoint_fields& fields,
                  const std::vector<signing_key>& keys);
  std::optional<endpoint_row> endpoint(const uuid& id);
  /// Newest first; the cursor is (version-free) `before` on the internal key.
  struct endpoint_page {
    std::vector<endpoint_row> rows;
    std::int64_t next = 0; ///< 0: no more
  };
  endpoint_page endpoints(const std::optional<std::string>& tenant,
                          const page& where,
                          std::optional<health_filter> health = {});
  /// `expected` is the version of an If-Match. `conflict` when it differs.
  std::optional<endpoint_row>
  change_endpoint(const uuid& id, const endpoint_fields& fields,
                  std::optional<std::int64_t> expected);
  /// Marks it deleted and cancels its open deliveries in chunks, each on
  /// record; what a node may have in flight is left to that node. False when
  /// there is none. (H-01)
  bool delete_endpoint(const uuid& id);

  /// What an operator does. Nothing when there is no such endpoint; `conflict`
  /// when `expected` is another version than the present one.
  std::optional<endpoint_row> operate(const uuid& id, health_action what,
                                      const std::string& note,
                                      std::optional<std::int64_t> expected);
  /// What waits there; nothing when there is no such endpoint.
  std::optional<open_row> open(const uuid& id);

  std::optional<event_row> event(const uuid& id);
  /// By the caller's own id.
  std::optional<event_row> event_by_key(const std::string& tenant,
                                        const std::string& key);
  std::optional<payload_row> payload(const uuid& id);
  /// Newest first, below `before`. Looks at a bounded number of events, so
  /// a page may hold few and still have a next one.
  struct event_page {
    std::vector<event_row> rows;
    std::optional<uuid> next; ///< nothing: no more
  };
  event_page events(const event_filter& filter,
                    const std::optional<uuid>& before, int limit);

  std::optional<delivery_row> delivery(const delivery_ref& id);
  struct delivery_page {
    std::vector<delivery_row> rows; ///< newest first
    std::int64_t next = 0;
  };
  delivery_page deliveries(const delivery_filter& filter, const page& where);
  /// Oldest first; empty when the delivery is unknown.
  std::vector<attempt_row> attempts(const delivery_ref& id);
  /// Of all deliveries, the latest first.
  attempt_page attempts(const attempt_filter& filter,
                        const std::optional<attempt_key>& before, int limit);
  std::optional<attempt_row> attempt(const attempt_ref& id);

  /// Puts a failed or cancelled delivery back with at most three more
  /// attempts, or makes a retrying one due now. Same id, same `webhook-id`.
  /// Nothing is done for an endpoint that is disabled.
  retry_answer retry(const delivery_ref& id);

  dead_letter_summary dead_letters(const dead_letter_filter& filter);
  /// Starts a walk over dead letters when there are `expected` of them; else
  /// gives nothing, and `found` how many there are.
  std::optional<dead_letter_place>
  count_dead_letters(const dead_letter_filter& filter, std::int64_t expected,
                     std::int64_t& found);
  /// Puts a bounded number of them back as `retry` does, or removes all record
  /// of them but their events. Each chunk commits by itself.
  dead_letter_progress treat_dead_letters(dead_letter_action action,
                                          const dead_letter_filter& filter,
                                          const dead_letter_place& from);

  /// By name; those that have left are not among them.
  std::vector<node_row> nodes();
  /// Wants one drained, or no more: it hears of it by its next heartbeat.
  /// Nothing when there is no such node.
  std::optional<node_row> drain_node(uuid id, bool drain);

  /// Secrets are sealed with this key, 32 bytes.
  void use_secret_key(std::string key);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
