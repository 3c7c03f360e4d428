#pragma once

#include "config/fault.hpp"
#include "config/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace postrider::config {

/// A place in the file, counted from 1.
struct place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1; ///< of what the caret marks
};

struct entry {
  std::string section; ///< empty for a key outside of any section
  std::string name;    ///< empty for a section that holds no key
  value content;
  place key_at;
  place value_at;
  std::vector<place> items_at = {}; ///< of a list
};

/// A TOML file taken apart. Sections inside sections keep their dotted name.
struct document {
  std::string path;
  std::vector<std::string> lines;
  std::vector<entry> entries; ///< in the order of the file
  std::vector<fault> faults;  ///< unreadable, or no TOML
  bool for_everyone = false;  ///< every user of the machine may read it

  /// A fault with its place and line; a line that may hold a secret is left
  /// out, and with `hide_value` what stands behind the `=`.
  fault at(const place& where, std::string what, bool hide_value = false) const;
};

/// Never throws: what is wrong stands in `faults`.
document read_document(const std::string& path);

} // namespace postrider::config
