#pragma once

#include "store/catalog_impl.hpp"

namespace postrider::store {

/// Selects what `read_endpoint_row` reads, from `postrider.endpoint e`.
extern const char* const select_endpoint;

endpoint_row read_endpoint_row(const pqxx::row& row);

/// The endpoint with this key; nothing when there is none or it is deleted.
std::optional<endpoint_row> find_endpoint(pqxx::work& work, const uuid& id);

} // namespace postrider::store
