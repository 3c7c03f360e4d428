#pragma once

#include "config/document.hpp"

#include <string>
#include <vector>

namespace postrider::config {

/// The file and those that it includes (`include = ["conf.d/*.toml"]`), in
/// the order in which they count: a file before what it includes, the patterns
/// in their order, what fits one pattern by name. Names are relative to the
/// file that includes. What is missing, includes itself or is not to be read
/// stands in the faults of the document that wanted it. At most 200 files, 8
/// deep.
std::vector<document> read_with_includes(const std::string& path);

} // namespace postrider::config
