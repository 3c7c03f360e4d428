#pragma once

#include "app/api/list.hpp"

namespace postrider::api {

/// A page of deliveries, newest first.
inline list_page<store::delivery_row>
deliveries_of(store::catalog& db, const store::delivery_filter& filter,
              const list_place& place) {
  auto found = db.deliveries(filter, page_at(place));
  return {std::move(found.rows), key_after(found.next)};
}

} // namespace postrider::api
