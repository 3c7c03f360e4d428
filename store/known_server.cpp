#include "store/database.hpp"

#include <fmt/core.h>

namespace postrider::store {

std::string known_server::judge(const server_identity& found) {
  const std::lock_guard lock{mutex_};
  if (seen_ && seen_->system != found.system)
    return fmt::format("the database is another cluster ({}) than the one seen "
                       "before ({}); restart the node if that is meant",
                       found.system, seen_->system);
  if (seen_ && found.timeline < seen_->timeline)
    return fmt::format("the server is on timeline {} and a standby of it has "
                       "gone on with timeline {}: it is an old primary",
                       found.timeline, seen_->timeline);
  seen_ = found;
  return {};
}

bool known_server::overtaken(std::uint32_t timeline) const {
  const std::lock_guard lock{mutex_};
  return seen_ && timeline != 0 && timeline < seen_->timeline;
}

} // namespace postrider::store
