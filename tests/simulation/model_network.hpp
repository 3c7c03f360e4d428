#pragma once

#include "actors/attempt_inbox.hpp"
#include "actors/protocol.hpp"
#include "tests/simulation/model_database.hpp"
#include "tests/simulation/store_link.hpp"

#include <caf/fwd.hpp>

#include <map>
#include <memory>
#include <string>

namespace postrider::testing {

/// The way from the nodes to the receivers, and the receivers, which write
/// down what comes and what they say. Dice decide what becomes of a request.
class model_network {
public:
  explicit model_network(world& in, model_database& of) : in_{in}, of_{of} {}

  void send(const std::shared_ptr<node_link>& from,
            const actors::http_job& job);
  /// The node is gone: nobody waits for its answers.
  void forget(const node_link& from);
  /// The receiver of this endpoint answers badly until then.
  void fall_ill(std::int64_t endpoint, nanos until, bool silently);
  void heal() { sick_.clear(); }

  /// A request that never arrived, as if it had when it was sent.
  struct lost_request {
    arrival_line line;
    bool offline = false; ///< its node may have made nothing of it
  };
  const std::vector<lost_request>& unreached() const { return unreached_; }
  std::size_t on_their_way(const node_link& of) const;

private:
  struct request {
    std::shared_ptr<node_link> from;
    std::shared_ptr<actors::attempt_ticket> reply_to;
    arrival_line line;
    std::int64_t endpoint = 0;
    nanos deadline{0};
    std::optional<attempt_result> said;
    bool stood_still = false; ///< at the deadline
  };
  struct illness {
    nanos until{0};
    bool silently = false;
  };

  void arrive(std::int64_t number);
  void answer(const request& one, int status, const std::string& rest);
  void decide(const arrival_line& on, const char* did, int status);
  void finish_at(nanos when, std::int64_t number, attempt_result how);
  void finish(std::int64_t number, const attempt_result& how);
  bool is_sick(std::int64_t endpoint) const;
  nanos trip() { return std::chrono::microseconds{in_.by.upto(100, 12'000)}; }

  world& in_;
  model_database& of_;
  std::map<std::int64_t, request> open_;
  std::map<std::int64_t, illness> sick_;
  std::vector<lost_request> unreached_;
  std::int64_t numbers_ = 0;
};

actors::http_worker_actor spawn_model_worker(caf::actor_system& system,
                                             model_network& to,
                                             std::shared_ptr<node_link> of);

} // namespace postrider::testing
