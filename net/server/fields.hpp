#pragma once

#include "net/server/fault.hpp"

#include <boost/beast/http/field.hpp>

#include <optional>
#include <string_view>

namespace postrider::net::server {

/// Holds the fields that decide about framing to one spelling; Beast takes
/// lists, repetitions and codings it does not know.
class framing_fields {
public:
  /// Looks at one field; a fault that is to be told at once.
  std::optional<framing_fault> take(boost::beast::http::field id,
                                    std::string_view name,
                                    std::string_view value);

  /// What is wrong with all of them together; `version` is 10 or 11.
  std::optional<framing_fault> judge(int version) const;

  bool expects_continue() const { return expects_continue_; }

private:
  std::optional<framing_fault> take_coding(std::string_view value);

  /// A fault of the framing outweighs one of the content: 400 before 415.
  std::optional<framing_fault> later_;
  int hosts_ = 0;
  int lengths_ = 0;
  bool coded_ = false;
  bool expects_continue_ = false;
};

} // namespace postrider::net::server
