#pragma once

#include "store/error.hpp"

#include <span>
#include <string>
#include <string_view>

namespace postrider::store {

/// What is done about a SQLSTATE.
struct sqlstate_rule {
  std::string_view states; ///< a code, or the first characters of some
  remedy cure;
  error::kind kind;
  error_class counts_as;
  std::string_view means;
};

/// Every rule there is; of those that fit, the longest counts. What none fits
/// is a defect of our statement.
std::span<const sqlstate_rule> sqlstate_rules();

/// The rule for one. An empty state (the connection was lost or never made)
/// has one too.
const sqlstate_rule& rule_of_sqlstate(std::string_view state);

/// The error that is thrown for one.
error error_of_sqlstate(std::string_view state, const std::string& message);

} // namespace postrider::store
