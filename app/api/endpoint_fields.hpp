#pragma once

#include "app/api/object_reader.hpp"
#include "core/address.hpp"
#include "store/catalog.hpp"

namespace postrider::api {

/// Reads the members that a new endpoint and a patch have in common, but for
/// `headers`. Absent and `null` ones stay unset.
store::endpoint_fields read_fields(object_reader& body,
                                   const address_guard& guard, faults& found);

} // namespace postrider::api
