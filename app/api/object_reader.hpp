#pragma once

#include "app/api/faults.hpp"
#include "app/api/json_text.hpp"
#include "core/header.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::api {

/// Reads the members of one object by name and type, and notes what is wrong.
/// A member that is `null` counts as absent for the typed readers.
class object_reader {
public:
  /// Notes unknown members, with the known one that was probably meant, and
  /// known ones that are given twice, however they are spelled.
  object_reader(const json_value& object, std::span<const std::string> known,
                faults& out, std::string at = {});

  /// The member as it stands, `null` included; nothing when absent.
  const json_value* find(std::string_view name) const;
  bool is_null(std::string_view name) const;

  /// A string of 1 to `longest` bytes without NUL.
  std::optional<std::string> text(std::string_view name,
                                  std::size_t longest = 255);
  /// The same, where absence is a fault.
  std::string required_text(std::string_view name, std::size_t longest = 255);
  std::optional<int> whole(std::string_view name, int lowest, int highest);
  /// Whole or not.
  std::optional<double> number(std::string_view name, double lowest,
                               double highest);
  /// Seconds, whole or not, as milliseconds.
  std::optional<std::int64_t> seconds(std::string_view name, double lowest,
                                      double highest);

  /// The pointer to a member.
  std::string at(std::string_view name) const;
  void fail(std::string_view name, std::string_view code, std::string detail);
  /// Notes that a member is something else than it should be.
  void wrong_type(std::string_view name, const std::string& wanted);

private:
  const json_value* present(std::string_view name) const;
  std::optional<double> number(std::string_view name, double lowest,
                               double highest, std::string_view unit);

  std::vector<json_member> members_;
  faults& faults_;
  std::string at_;
};

/// A string without NUL, of at most `longest` bytes, or what is wrong with it.
std::optional<std::string> plain_text(const json_value& value,
                                      std::size_t longest,
                                      const std::string& pointer, faults& out);

} // namespace postrider::api
