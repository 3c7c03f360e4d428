#pragma once

#include "core/secret_box.hpp"
#include "store/catalog.hpp"
#include "store/session.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace postrider::store {

class catalog::impl {
public:
  explicit impl(database where) : link{std::move(where), "postrider catalog"} {}

  session link;
  std::optional<secret_box> box;
};

/// Milliseconds since 1970, as the statements of the catalog give times.
time_ms time_of(const pqxx::field& field);
std::optional<time_ms> optional_time_of(const pqxx::field& field);
/// Empty for null.
std::string text_of(const pqxx::field& field);
std::optional<int> optional_int_of(const pqxx::field& field);
uuid id_of(const pqxx::field& field);
end_reason reason_of(const pqxx::field& field);

/// Rows per page, whatever was asked for.
int bounded_limit(const page& where);
int bounded_limit(int limit);

/// For a statement whose plan has to be nested walks that end at the limit;
/// one that hashes or sorts whole tables for a page of rows is never right.
void walk_only(pqxx::work& work);

} // namespace postrider::store
