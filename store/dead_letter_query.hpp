#pragma once

#include "store/catalog_impl.hpp"

#include <string>
#include <vector>

namespace postrider::store {

/// The condition of a statement over final attempts, called `a`, that are
/// dead letters: the delivery failed, and was not put back since.
class dead_letter_query {
public:
  explicit dead_letter_query(const dead_letter_filter& filter);

  const std::string& condition() const { return condition_; }
  /// One more parameter, as it stands in the statement.
  std::string bind(std::string value);
  pqxx::result run(pqxx::work& work, const std::string& sql) const;

private:
  std::string condition_;
  std::vector<std::string> values_;
};

} // namespace postrider::store
