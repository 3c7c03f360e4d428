#pragma once

#include "tests/simulation/model_database.hpp"

#include <caf/actor_addr.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace postrider::testing {

class store_link;

/// What the world knows of a node that runs, or ran.
struct node_link {
  std::string name;
  bool alive = true;
  nanos cut_until{0};     ///< it alone has no database
  nanos paused_until{0};  ///< nothing of it runs
  nanos offline_until{0}; ///< it alone reaches no receiver
  std::vector<std::weak_ptr<store_link>> links;
  /// That asked for a request last, and that asked the database last.
  caf::actor_addr driver;
  caf::actor_addr breaker;
};

/// The way of one store actor to the database and back. Questions go one after
/// another, as on a connection whose thread waits for each answer; dice decide
/// when each is executed and answered, and whether.
class store_link : public std::enable_shared_from_this<store_link> {
public:
  store_link(world& in, model_database& to, std::shared_ptr<node_link> of)
      : in_{in}, to_{to}, of_{std::move(of)} {}

  /// `execute` runs at the database, false when it has to be tried once more
  /// a little later. `answered` runs when the actor calls `answer` with the
  /// ticket that `wake` was given: true when the answer came.
  void ask(const char* what, std::function<bool()> execute,
           std::function<void(bool)> answered);
  void answer(std::int64_t ticket);
  /// The node is gone, and with it who waits for answers.
  void forget();

  /// How the actor is told that an answer is there.
  std::function<void(std::int64_t)> wake;

private:
  struct question {
    const char* what;
    std::function<bool()> execute;
    std::function<void(bool)> answered;
    bool executed = false;
    bool arrives = false;
  };

  bool cut() const { return to_.away || of_->cut_until > in_.time.now(); }
  nanos some_while(const char* what);
  void begin_next();
  void execute(std::int64_t ticket);
  void arrive(std::int64_t ticket);

  world& in_;
  model_database& to_;
  std::shared_ptr<node_link> of_;
  int life_ = to_.lives; ///< of the server, when it last answered
  std::map<std::int64_t, question> open_;
  std::int64_t tickets_ = 0;
  std::int64_t begun_ = 0;
  bool busy_ = false;
};

} // namespace postrider::testing
