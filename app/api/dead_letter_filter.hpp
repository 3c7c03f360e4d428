#pragma once

#include "app/api/faults.hpp"
#include "app/api/object_reader.hpp"
#include "app/api/query.hpp"
#include "store/dead_letters.hpp"

#include <variant>

namespace postrider::api {

/// Which dead letters, from a query.
std::variant<store::dead_letter_filter, problem>
read_dead_letter_filter(const query_values& query);

/// Which dead letters, from the members of a body.
store::dead_letter_filter read_dead_letter_filter(object_reader& body);

} // namespace postrider::api
