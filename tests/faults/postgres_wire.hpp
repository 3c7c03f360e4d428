#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::testing {

/// Follows what a client says to PostgreSQL (protocol 3) in pieces of any
/// size.
class statement_watch {
public:
  /// The names of the prepared statements that these bytes ask to run.
  std::vector<std::string> feed(std::string_view bytes);

private:
  std::string pending_;
  bool started_ = false; ///< behind the first message, which has no type
};

/// Follows what the server says.
class ready_watch {
public:
  /// Whether it has become ready for the next question with these bytes.
  bool feed(std::string_view bytes);

private:
  std::string pending_;
};

} // namespace postrider::testing
