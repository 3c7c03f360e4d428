#pragma once

#include "config/config.hpp"
#include "config/environment.hpp"
#include "config/fault.hpp"

#include <map>
#include <string>
#include <vector>

namespace postrider::config {

/// Where a configuration comes from. What stands further down wins.
struct sources {
  std::string file;                  ///< empty: none
  environment variables;             ///< `POSTRIDER_<SECTION>__<KEY>`
  std::vector<std::string> settings; ///< `section.key=value`, as `--set` has it
};

/// Where a value was set.
struct origin {
  std::string where; ///< `file:line:column`, a variable, `--set`
  std::string excerpt = {};
};

/// A value of one file that another file has taken the place of.
struct conflict {
  std::string key;
  std::string earlier; ///< `file:line:column`
  std::string later;
};

/// A configuration and all that is to be said about it.
struct reading {
  config whole; ///< of use only when there are no faults
  std::vector<fault> faults;
  std::vector<fault> warnings;
  std::map<std::string, origin> origins; ///< by key; absent: the default
  std::vector<conflict> conflicts;
  std::vector<std::string> files; ///< in the order in which they were read

  /// What is wrong with a key, with the place where it was set.
  fault about(const std::string& key, const std::string& what) const;
};

/// Defaults, then the file with what it includes, then the environment, then
/// the settings, each key by itself. All faults are collected: unknown keys
/// (with the nearest known one), wrong types, values out of range, both of a
/// secret and its `_file` twin, values that can't stand together.
reading read(const sources& from);

} // namespace postrider::config
