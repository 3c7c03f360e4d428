#include "app/watchdog.hpp"

#include <utility>

namespace postrider::app {

watchdog::watchdog(notifier& to, std::function<bool()> moved)
    : to_{to}, moved_{std::move(moved)} {}

void watchdog::turn(time_point now) {
  // Not moved yet: asked again at the next turn.
  if (!to_.watched() || now < next_ || !moved_())
    return;
  next_ = now + *to_.watched() / 3;
  to_.alive();
}

} // namespace postrider::app
