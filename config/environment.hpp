#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::config {

/// The variables of a process. Names are case-sensitive.
using environment = std::map<std::string, std::string, std::less<>>;

/// What this process was started with.
environment process_environment();

/// A variable's value.
std::optional<std::string> find(const environment& in, std::string_view name);

/// `POSTRIDER_<SECTION>__<KEY>`.
std::string environment_name(std::string_view section, std::string_view name);

/// A variable that is meant for a key: its section and name in lower case.
/// Nothing for every other one.
struct named_key {
  std::string section;
  std::string name;
};
std::optional<named_key> key_of_variable(std::string_view variable);

} // namespace postrider::config
