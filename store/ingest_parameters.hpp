#pragma once

#include "core/model.hpp"
#include "store/pg_params.hpp"

#include <span>

namespace postrider::store {

/// What `postrider.ingest` takes for a batch: an array for each column, in the
/// order of its parameters.
pg::params ingest_parameters(std::span<const new_event> batch);

} // namespace postrider::store
