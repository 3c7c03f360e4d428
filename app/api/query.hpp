#pragma once

#include "app/api/call.hpp"
#include "app/api/rfc3339.hpp"

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
  read_query(const call& of, std::initializer_list<std::string_view> known,
             std::initializer_list<std::string_view> also);

  std::vector<std::pair<std::string, std::string>> pairs_;
};

/// A problem (400 `bad_query`) when a parameter is unknown, given twice, empty
/// or badly encoded; `known` and `also` may be there.
std::variant<query_values, problem>
read_query(const call& of, std::initializer_list<std::string_view> known,
           std::initializer_list<std::string_view> also = {});

/// Reads `since` and `until`, each a time in RFC 3339 where it is given.
std::optional<problem> read_span(const query_values& query,
                                 std::optional<time_ms>& since,
                                 std::optional<time_ms>& until);

/// The endpoint's id, where it is given.
std::variant<std::optional<uuid>, problem>
read_endpoint_id(const query_values& query);

/// 400 `bad_query` for one parameter.
problem bad_query(std::string detail);

} // namespace postrider::api
