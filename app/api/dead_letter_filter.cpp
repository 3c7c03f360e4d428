#include "app/api/dead_letter_filter.hpp"

#include "core/public_id.hpp"

namespace postrider::api {

std::variant<store::dead_letter_filter, problem>
read_dead_letter_filter(const query_values& query) {
  store::dead_letter_filter filter;
  filter.tenant = query.find("tenant");
  auto endpoint = read_endpoint_id(query);
  if (auto* refused = std::get_if<problem>(&endpoint))
    return std::move(*refused);
  filter.endpoint = std::get<0>(endpoint);
  filter.error = query.find("error");
  filter.reason = query.find("reason");
  if (auto refused = read_span(query, filter.since, filter.until))
    return *std::move(refused);
  return filter;
}

store::dead_letter_filter read_dead_letter_filter(object_reader& body) {
  store::dead_letter_filter filter;
  filter.tenant = body.text("tenant");
  filter.error = body.text("error");
  filter.reason = body.text("reason");
  if (auto text = body.text("endpoint")) {
    filter.endpoint = parse_endpoint_id(*text);
    if (!filter.endpoint)
      body.fail("endpoint", "bad_id", "must be an id such as ep_…");
  }
  for (auto [name, into] :
       {std::pair{"since", &filter.since}, std::pair{"until", &filter.until}})
    if (auto text = body.text(name)) {
      *into = parse_rfc3339(*text);
      if (!*into)
        body.fail(name, "bad_time",
                  "must be a time such as 2026-11-29T20:11:04Z");
    }
  return filter;
}

} // namespace postrider::api
