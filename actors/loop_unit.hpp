#pragma once

#include "actors/attempt_inbox.hpp"
#include "net/http_client.hpp"

#include <caf/execution_unit.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace postrider::actors {

/// Lets the thread of an I/O loop run the actors that its results wake, and
/// those that these wake in turn. The way from a response to the next request
/// of its stream then needs no other thread, and no two of them have to be
/// woken for it: that costs more than the request. What was woken elsewhere
/// runs on CAF's own threads as ever.
class loop_unit : public caf::execution_unit,
                  public std::enable_shared_from_this<loop_unit> {
public:
  /// The system outlives the loop's thread.
  loop_unit(caf::actor_system& system, std::shared_ptr<net::http_client> loop);

  /// Hands a result to the partition. Callable from any thread.
  void finished(attempt_ticket& to, attempt_result result);

  /// CAF's: an actor has something to do. On the loop's thread.
  void exec_later(caf::resumable* job) override;

private:
  void run();
  void await();

  std::shared_ptr<net::http_client> loop_;
  std::vector<caf::resumable*> ready_; ///< each holds a reference
  std::vector<caf::resumable*> running_;
  bool awaited_ = false; ///< `run` is going to be called, or runs
};

} // namespace postrider::actors
