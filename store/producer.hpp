#pragma once

#include "store/database.hpp"

#include <memory>
#include <span>
#include <string>

namespace postrider::store {

/// What a producer gives; all else has its default.
struct produced_event {
  std::string tenant;
  std::string type;
  std::string payload;
};

/// Publishes as an application does that shares the database: through
/// `postrider.publish` and `postrider.publish_batch`, one transaction for each
/// call. Throws `error` (`conflict`: an event was refused); not thread-safe.
class producer {
public:
  explicit producer(database where);
  ~producer();

  void publish(const produced_event& one);
  void publish(std::span<const produced_event> batch);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
