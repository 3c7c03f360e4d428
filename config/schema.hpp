#pragma once

#include <string>

namespace postrider::config {

/// The JSON Schema (2020-12) of the file, for editors and for checks in a
/// pipeline. What it refuses the loader refuses too; the loader also looks at
/// what values mean and whether they can stand together.
std::string json_schema();

} // namespace postrider::config
