#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace postrider::testing {

/// Statements after which the events that fit `which` (a condition on
/// `postrider.event`) are so many days older, with all that refers to them, as
/// if they had been published then; their ids keep their ends.
inline std::vector<std::string> make_older(int days,
                                           std::string_view which = "true") {
  const auto when = fmt::format("now() - interval '{} days'", days);
  const auto older = [&](std::string_view column) {
    return fmt::format("(left(postrider.uuid_at({})::text, 13) "
                       "|| substr({}::text, 14))::uuid",
                       when, column);
  };
  std::vector<std::string> out;
  for (const auto* parent : {"event", "attempt"})
    out.push_back(fmt::format("select postrider.make_partition('{}', "
                              "(({}) at time zone 'UTC')::date)",
                              parent, when));
  // One statement, so that all of it has one time.
  out.push_back(fmt::format(
      "with aged as materialized (select id from postrider.event where {}), "
      "open as (update postrider.delivery set event = {} "
      "where event in (select id from aged)), "
      "ended as (update postrider.attempt set event = {}, at = {} "
      "where event in (select id from aged)) "
      "update postrider.event set id = {} where id in (select id from aged)",
      which, older("event"), older("event"), when, older("id")));
  return out;
}

} // namespace postrider::testing
