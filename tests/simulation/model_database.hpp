#pragma once

#include "actors/protocol.hpp"
#include "tests/core/read_window_table.hpp"
#include "tests/simulation/world.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace postrider::testing {

/// Who asks: a node, and what its own clock shows when the model's shows 0.
struct asker {
  uuid node;
  std::string name;
  std::chrono::milliseconds lease{0};
  nanos ahead{0};

  actors::time_point clock(nanos now) const {
    return actors::time_point{now + ahead};
  }
};

/// The database that all nodes share. Each function is a statement: it sees
/// and changes everything at one moment. Times are microseconds of its own
/// clock.
class model_database {
public:
  explicit model_database(world& in);

  // -- leases (store/leases) -------------------------------------------------
  store::heartbeat beat(const asker& by, store::standing how);
  actors::lease_list acquire(const asker& by, int count);
  bool release(const asker& by, const actors::lease_list& given);
  bool leave(const asker& by);
  bool mark(const asker& by, const store::lease& under, std::int64_t delivery);
  int sweep(const asker& by);
  /// Says when a node could not renew for a reason of its own.
  void was_in_trouble(const std::string& node, nanos from, nanos upto);
  /// The same for all of them.
  void was_away(nanos from, nanos upto);
  /// What keeps a node's leases has begun anew, without a memory.
  void begins_anew(const uuid& node);

  // -- reads (store/reader) --------------------------------------------------
  store::new_rows rows(std::vector<delivery> found);
  store::new_rows peek() { return rows({}); }
  std::int64_t start_of(const actors::partition_list& of);
  store::new_rows read(const actors::read_query& q);
  actors::delivery_list share(const actors::share_query& q);
  store::due_rows due(const actors::due_query& q);
  actors::delivery_list sweep(const actors::sweep_query& q);
  actors::notice_list health_due(const actors::partition_list& of);
  actors::contents content(const asker& by, const actors::content_query& q);
  actors::endpoint_changes changes(const asker& by, std::int64_t version);

  // -- outcomes (store/settler, actors/settle_store) -------------------------
  actors::settle_report settle(const asker& by,
                               const actors::settlement_list& given);

  // -- health (store/health_store) -------------------------------------------
  actors::moved move(const asker& by, const store::health_move& what);
  store::chunk_done hold(const asker& by, const actors::chunk_query& q);
  store::chunk_done cancel(const asker& by, const actors::chunk_query& q);
  /// What an operator does: pauses an endpoint, or lets it go on.
  void operate(std::int64_t endpoint, bool pause);
  bool paused(std::int64_t endpoint) const;
  void rescue_held();

  // -- producers -------------------------------------------------------------
  struct published {
    uuid id;
    std::string tenant;
    std::string key;
    std::string sha256;
    std::string stream;
    std::vector<std::int64_t> to;
  };
  std::uint64_t begin() { return table_.begin(); }
  /// False while another open transaction holds the key; nothing is done then.
  bool key_is_free(const std::string& key) const;
  /// The event that has the key already, if any; else this one is written.
  uuid publish(std::uint64_t by, published event);
  bool is_open(std::uint64_t which) const {
    return table_.open().contains(which);
  }
  /// What an open transaction has made to be delivered.
  std::vector<fresh_delivery> made(std::uint64_t by) const;
  void commit(std::uint64_t which);
  void roll_back(std::uint64_t which);
  /// A crash of the server: what is open is rolled back, some of the ids are
  /// lost and others given out again, and every connection is broken.
  void crash();
  int lives = 1;

  // -- the endpoints and what is left at the end -----------------------------
  void add_endpoint(endpoint what, bool by_event);
  const endpoint& endpoint_of(std::int64_t id) const { return *specs_.at(id); }
  std::vector<std::int64_t> endpoints() const;
  std::string public_name(std::int64_t endpoint) const;
  std::size_t open() const { return table_.look().rows.size(); }
  std::vector<delivery> open_rows() const { return table_.look().rows; }
  void dump();
  /// While it is away every question fails.
  bool away = false;

private:
  struct lease_row {
    uuid owner;
    std::string name; ///< of the owner; empty: nobody
    std::int64_t epoch = 0;
    std::int64_t expires = 0;
    std::int64_t taken = 0;
    std::int64_t handling = 0; ///< a delivery, with care; 0: none
    std::int64_t suspect = 0;
    int crashes = 0;
    int suspect_crashes = 0;
  };
  struct node_row {
    std::string name;
    std::int64_t heartbeat = 0;
    std::int64_t since = 0;
    store::standing standing = store::standing::working;
  };
  struct health_row {
    health of; ///< its times are not used
    std::optional<std::int64_t> trial_at;
    std::optional<std::int64_t> suspended_since;
    std::optional<std::int64_t> retire_at;
    std::optional<std::int64_t> not_before;
    bool paused = false;
    bool shedding = false;
    bool releasing = false;
    bool resuming = false;
    std::int64_t revision = 0;

    bool holds() const {
      return paused || resuming || of.state != health_state::healthy;
    }
  };
  struct trouble {
    std::string node;
    nanos from;
    nanos upto;
  };

  /// For the trace.
  void say_found(const std::string& asked,
                 const std::vector<delivery>& rows) const;
  std::int64_t now() const { return table_.now; }
  void tick();
  bool holds_lease(const asker& by, std::uint16_t partition,
                   std::int64_t epoch) const;
  static void blame(lease_row& of);
  store::lease lease_of(std::uint16_t partition) const;
  void give_to(std::uint16_t partition, const asker* to);
  bool kept_away(const std::string& node, nanos from, nanos upto,
                 nanos beats) const;
  void lost_by_expiry(const asker& to, std::uint16_t partition,
                      const lease_row& was);
  bool apply(const asker& by, const store::settlement& one);
  void note_attempt(const asker* by, const store::settlement& one, bool last);
  health_record record(const asker& by, std::int64_t endpoint) const;
  endpoint_ptr as_seen(const asker& by, std::int64_t id) const;
  void changed(std::int64_t endpoint);
  std::string delivery_name(std::int64_t id, std::uint16_t partition,
                            const uuid& event) const;

  world& in_;
  model_table table_;
  std::vector<lease_row> leases_;
  std::map<uuid, node_row> nodes_;
  std::vector<trouble> troubles_;
  std::vector<std::pair<nanos, nanos>> outages_;
  std::map<std::int64_t, std::shared_ptr<const endpoint>> specs_;
  std::map<std::int64_t, std::int64_t> versions_;
  std::map<std::int64_t, health_row> health_;
  std::map<uuid, published> events_;
  std::map<std::string, uuid> keys_;
  std::map<std::uint64_t, std::vector<uuid>> written_by_;
  std::vector<attempt_line> attempts_;
  std::int64_t last_version_ = 0;
  std::int64_t last_revision_ = 0;
};

} // namespace postrider::testing
