#pragma once

#include "app/api/call.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace postrider::api {

/// The parameters of a request's query, decoded.
class query_values {
public:
  std::optional<std::string> find(std::string_view name) const;

private:
  friend std::variant<query_values, problem>
  read_query(const call& of, std::initializer_list<std::string_view> known);

  std::vector<std::pair<std::string, std::string>> pairs_;
};

/// A problem (400 `bad_query`) when a parameter is unknown, given twice, empty
/// or badly encoded.
std::variant<query_values, problem>
read_query(const call& of, std::initializer_list<std::string_view> known);

/// Reads `limit` (1 to 250, 50 by default) and `cursor` for the list called
/// `list`.
std::variant<store::page, problem> read_page(const query_values& query,
                                             std::string_view list);

/// 400 `bad_query` for one parameter.
problem bad_query(std::string detail);

} // namespace postrider::api
