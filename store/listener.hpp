#pragma once

#include "store/database.hpp"

#include <chrono>
#include <memory>

namespace postrider::store {

/// The bell of a database: whoever commits events may ring it for the nodes
/// that read (LISTEN and NOTIFY on the channel `postrider`). It only hurries
/// things: nothing is lost when a ring is. One connection; `wait` belongs to
/// one thread, the others may be called from any.
class listener {
public:
  explicit listener(database where);
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  /// Waits until somebody else rings, for so long at most. Rings meanwhile for
  /// those that ask here. However many have rung, it is told once. Connects
  /// first where there is no connection: what was rung before is not heard.
  /// Throws `error`; the next call connects again.
  bool wait(std::chrono::milliseconds within);
  /// Rings for the other nodes: at once, or some milliseconds after the ring
  /// before, since each takes a lock of the whole server as it commits. Not
  /// while there is no connection.
  void ring();
  /// Ends `wait`, and every one after.
  void interrupt();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
