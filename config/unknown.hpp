#pragma once

#include "config/environment.hpp"
#include "config/key_table.hpp"

#include <string>

namespace postrider::config {

/// What to say about a name that is no key's, with the nearest that is.
struct unknown {
  std::string what;
  /// The value may be a secret behind a misspelt name.
  bool hide_value = true;
};

unknown unknown_in_file(const key_table& keys, const std::string& section,
                        const std::string& name);
unknown unknown_variable(const key_table& keys, const named_key& meant);
unknown unknown_setting(const key_table& keys, const std::string& path);

} // namespace postrider::config
