#pragma once

#include "store/catalog_impl.hpp"

#include <string>
#include <vector>

namespace postrider::store {

/// The statement behind a list of deliveries: open rows and final attempts of
/// one moment, newest first. One statement and a key that a row keeps when it
/// ends: a walk over pages neither skips nor repeats a delivery (ADM-01).
class delivery_query {
public:
  delivery_query(const delivery_filter& filter, const page& where);
  /// Of one delivery.
  explicit delivery_query(const delivery_ref& ref);

  pqxx::result run(pqxx::work& work) const;

private:
  std::string bind(std::string value);
  std::string bind_time(time_ms when);
  std::string dead(const dead_letter_filter& filter);
  std::string open_rows(const std::string& scope, const std::string& also,
                        const std::string& rows) const;
  std::string ended_rows(const std::string& scope, const std::string& also,
                         const std::string& rows) const;
  void finish(const std::string& source, const std::string& also,
              const std::string& rows);

  std::string sql_;
  std::vector<std::string> values_;
};

delivery_row read_delivery_row(const pqxx::row& row);

} // namespace postrider::store
