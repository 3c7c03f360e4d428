#include "app/api/delivery_list.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

namespace {

constexpr std::string_view list_name = "deliveries";

problem no_delivery() {
  return not_found("there is no such delivery");
}

std::variant<store::delivery_filter, problem>
read_filter(const query_values& query) {
  store::delivery_filter filter;
  filter.tenant = query.find("tenant");
  auto endpoint = read_endpoint_id(query);
  if (auto* refused = std::get_if<problem>(&endpoint))
    return std::move(*refused);
  filter.endpoint = std::get<0>(endpoint);
  if (auto text = query.find("event")) {
    filter.event = parse_event_id(*text);
    if (!filter.event)
      return bad_query("event must be an id such as evt_…");
  }
  if (auto text = query.find("state")) {
    filter.state = parse_delivery_state(*text);
    if (!filter.state)
      return bad_query("state must be queued, retrying, held, succeeded, "
                       "failed or cancelled");
  }
  return filter;
}

} // namespace

void get_deliveries(call_ptr request) {
  answer_list(
      std::move(request),
      {list_name, 1, {"tenant", "endpoint", "event", "state"}}, read_filter,
      [](store::catalog& db, const store::delivery_filter& filter,
         const list_place& place) { return deliveries_of(db, filter, place); },
      write_delivery);
}

void get_delivery(call_ptr request) {
  auto id = parse_delivery_id(request->parameter);
  if (!id)
    return answer(*request, no_delivery());
  ask_store(std::move(request), [id = *id](call& of, store::catalog& db) {
    auto row = db.delivery(id);
    if (!row)
      return answer(of, no_delivery());
    json_writer out;
    write_delivery(out, *row);
    answer_json(of, 200, std::move(out));
  });
}

void get_attempts_of(call_ptr request) {
  auto id = parse_delivery_id(request->parameter);
  if (!id)
    return answer(*request, no_delivery());
  ask_store(std::move(request), [id = *id](call& of, store::catalog& db) {
    auto rows = db.attempts(id);
    if (rows.empty() && !db.delivery(id))
      return answer(of, no_delivery());
    json_writer out;
    begin_page(out);
    for (const auto& row : rows)
      write_attempt(out, row);
    end_page(out, "attempts", "");
    answer_json(of, 200, std::move(out));
  });
}

void retry_delivery(call_ptr request) {
  auto id = parse_delivery_id(request->parameter);
  if (!id)
    return answer(*request, no_delivery());
  ask_store(std::move(request), [id = *id](call& of, store::catalog& db) {
    switch (db.retry(id)) {
    case store::retry_answer::not_found:
      return answer(of, no_delivery());
    case store::retry_answer::wrong_state:
      return answer(of, problem{409,
                                "wrong_state",
                                "only a failed, cancelled or retrying "
                                "delivery can be retried",
                                {},
                                {}});
    case store::retry_answer::endpoint_disabled:
      return answer(of, problem{409,
                                "endpoint_disabled",
                                "its endpoint is disabled and nothing is sent "
                                "to it: enable it first, POST "
                                "/v1/endpoints/{id}/enable",
                                {},
                                {}});
    case store::retry_answer::event_dropped:
      return answer(of, problem{409,
                                "event_dropped",
                                "its event is not kept any more: see "
                                "retention.events and retention.dead_letters",
                                {},
                                {}});
    case store::retry_answer::scheduled:
      break;
    }
    of.on->engine.changed();
    json_writer out;
    out.begin_object();
    out.key("id").string(delivery_public_id(id));
    out.end_object();
    answer_json(of, 202, std::move(out));
  });
}

} // namespace postrider::api
