#include "core/retry_statuses.hpp"

namespace postrider {

std::variant<status_set, std::string> parse_retry_statuses(std::string_view) {
  return std::string{"not built yet"};
}

} // namespace postrider
