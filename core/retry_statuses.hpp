#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <variant>

namespace postrider {

/// HTTP statuses, 100 to 599.
class status_set {
public:
  bool has(int status) const {
    return status >= 100 && status <= 599
           && all_[static_cast<std::size_t>(status - 100)];
  }
  void set(int status, bool in = true) {
    all_[static_cast<std::size_t>(status - 100)] = in;
  }
  friend bool operator==(const status_set&, const status_set&) = default;

private:
  std::bitset<500> all_;
};

/// What is tried again where an endpoint says nothing: 404, 408, 425, 429 and
/// 500 to 599, as in `classify`.
const status_set& usual_retry_statuses();

/// Reads an expression such as `408,425,429,500-599,!501`: statuses, ranges
/// with open ends (`500-`, `-499`), classes (`5xx`), and what is taken out
/// again after `!`, whatever the order; of an expression that only takes out,
/// from the usual ones. Only 300 to 599 can be tried again. Otherwise what is
/// wrong, in one line that names the item. (S3, part 2.3.5.)
std::variant<status_set, std::string>
parse_retry_statuses(std::string_view text);

} // namespace postrider
