#pragma once

#include "config/keys.hpp"

#include <optional>
#include <string>
#include <vector>

namespace postrider::config {

/// A key as it was named: by itself, or by the `_file` twin of a secret.
struct named {
  const key* which = nullptr;
  bool by_file = false;
};

/// All keys, found by name.
class key_table {
public:
  /// The keys point into `into`.
  explicit key_table(config& into) : keys_{keys_of(into)} {}

  const std::vector<key>& all() const { return keys_; }
  std::optional<named> find(const std::string& section,
                            const std::string& name) const;
  /// `section.name`.
  std::optional<named> find(const std::string& path) const;
  bool knows_section(const std::string& section) const;

  /// What was probably meant by a name that is not known.
  struct suggestion {
    std::string section;
    std::string name;
    bool secret = false;
  };
  std::optional<suggestion> suggest(const std::string& section,
                                    const std::string& name) const;
  std::optional<std::string> suggest_section(const std::string& section) const;

private:
  std::vector<key> keys_;
};

} // namespace postrider::config
