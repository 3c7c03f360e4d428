#include "app/api/query.hpp"
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
  if (auto text = query.find("endpoint")) {
    filter.endpoint = parse_endpoint_id(*text);
    if (!filter.endpoint)
      return bad_query("endpoint must be an id such as ep_…");
  }
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
  auto query = read_query(
      *request, {"tenant", "endpoint", "event", "state", "limit", "cursor"});
  if (auto* refused = std::get_if<problem>(&query))
    return answer(*request, std::move(*refused));
  const auto& values = std::get<query_values>(query);
  auto page = read_page(values, list_name);
  if (auto* refused = std::get_if<problem>(&page))
    return answer(*request, std::move(*refused));
  auto filter = read_filter(values);
  if (auto* refused = std::get_if<problem>(&filter))
    return answer(*request, std::move(*refused));
  ask_store(
      std::move(request),
      [filter = std::get<store::delivery_filter>(filter),
       where = std::get<store::page>(page)](call& of, store::catalog& db) {
        auto found = db.deliveries(filter, where);
        json_writer out;
        begin_page(out);
        for (const auto& row : found.rows)
          write_delivery(out, row);
        end_page(out, list_name, found.next);
        answer_json(of, 200, std::move(out));
      });
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

void get_attempts(call_ptr request) {
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
      write_attempt(out, id, row);
    end_page(out, "attempts", 0);
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
