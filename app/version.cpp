#include "app/version.hpp"

namespace postrider::app {

std::string_view version() {
  return POSTRIDER_VERSION;
}

} // namespace postrider::app
