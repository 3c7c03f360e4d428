#pragma once

#include "app/api/cursor.hpp"
#include "app/api/query.hpp"
#include "app/api/views.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postrider::api {

/// The part of a list that is asked for.
struct list_place {
  int limit = 50;
  std::string key; ///< of the cursor; empty: from the start
};

/// Reads `limit` (1 to 250, 50 by default) and `cursor` for the list called
/// `list`, whose keys are so many numbers (0: a text).
std::variant<list_place, problem> read_place(const query_values& query,
                                             std::string_view list,
                                             std::size_t numbers);

/// The same for a list whose key is one number that falls, and its key.
store::page page_at(const list_place& place);
std::string key_after(std::int64_t next);

/// A page: its rows, and the key where the next one starts (empty: none).
template <class Row>
struct list_page {
  std::vector<Row> rows;
  std::string next;
};

/// What tells one list from another.
struct list_kind {
  std::string_view name;
  /// How many numbers are in the key of its cursor; 0: it is a text.
  std::size_t numbers = 1;
  /// Beside `limit` and `cursor`.
  std::initializer_list<std::string_view> parameters;
};

/// Answers a list. `read_filter(query_values)` gives a filter or a problem,
/// `find(catalog, filter, list_place)` a `list_page`, on a thread that may
/// block, and `write(json_writer, row)` shows one row.
template <class ReadFilter, class Find, class Write>
void answer_list(call_ptr request, const list_kind& kind,
                 ReadFilter read_filter, Find find, Write write) {
  auto query = read_query(*request, kind.parameters, {"limit", "cursor"});
  if (auto* refused = std::get_if<problem>(&query))
    return answer(*request, std::move(*refused));
  const auto& values = std::get<query_values>(query);
  auto place = read_place(values, kind.name, kind.numbers);
  if (auto* refused = std::get_if<problem>(&place))
    return answer(*request, std::move(*refused));
  auto filter = read_filter(values);
  if (auto* refused = std::get_if<problem>(&filter))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request),
            [filter = std::get<0>(std::move(filter)),
             place = std::get<list_place>(std::move(place)), name = kind.name,
             find, write](call& of, store::catalog& db) {
              auto page = find(db, filter, place);
              json_writer out;
              begin_page(out);
              for (const auto& row : page.rows)
                write(out, row);
              end_page(out, name, page.next);
              answer_json(of, 200, std::move(out));
            });
}

} // namespace postrider::api
