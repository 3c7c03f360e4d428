#include "app/api/list.hpp"
#include "app/api/routes.hpp"

namespace postrider::api {

namespace {

std::variant<store::attempt_filter, problem>
read_filter(const query_values& query) {
  store::attempt_filter filter;
  auto endpoint = read_endpoint_id(query);
  if (auto* refused = std::get_if<problem>(&endpoint))
    return std::move(*refused);
  filter.endpoint = std::get<0>(endpoint);
  filter.outcome = query.find("outcome");
  if (filter.outcome && *filter.outcome != "succeeded"
      && *filter.outcome != "failed" && *filter.outcome != "cancelled")
    return bad_query("outcome must be succeeded, failed or cancelled");
  if (auto refused = read_span(query, filter.since, filter.until))
    return *std::move(refused);
  return filter;
}

list_page<store::attempt_row> find(store::catalog& db,
                                   const store::attempt_filter& filter,
                                   const list_place& place) {
  std::optional<store::attempt_key> before;
  if (auto key = numbers_of(place.key, 3))
    before = {(*key)[0], (*key)[1], (*key)[2]};
  auto found = db.attempts(filter, before, place.limit);
  list_page<store::attempt_row> page{std::move(found.rows), {}};
  if (found.next)
    page.next =
        key_of({found.next->at, found.next->delivery, found.next->number});
  return page;
}

} // namespace

void get_attempts(call_ptr request) {
  answer_list(std::move(request),
              {"all-attempts", 3, {"endpoint", "outcome", "since", "until"}},
              read_filter, find, write_attempt);
}

void get_attempt(call_ptr request) {
  auto id = parse_attempt_id(request->parameter);
  if (!id)
    return answer(*request, not_found("there is no such attempt"));
  ask_store(std::move(request), [id = *id](call& of, store::catalog& db) {
    auto row = db.attempt(id);
    if (!row)
      return answer(of, not_found("there is no such attempt"));
    json_writer out;
    write_attempt(out, *row);
    answer_json(of, 200, std::move(out));
  });
}

} // namespace postrider::api
