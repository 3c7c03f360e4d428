#include "app/api/list.hpp"
#include "app/api/names.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

namespace {

problem no_event() {
  return not_found("there is no such event");
}

/// An event by our id, or by the caller's own one within a tenant.
struct event_name {
  std::optional<uuid> id;
  std::string tenant;
  std::string key;
};

std::variant<event_name, problem> read_name(const call& request) {
  auto query = read_query(request, {"tenant"});
  if (auto* refused = std::get_if<problem>(&query))
    return std::move(*refused);
  auto tenant = std::get<query_values>(query).find("tenant");
  event_name name;
  name.id = parse_event_id(request.parameter);
  if (name.id && !tenant)
    return name;
  if (!tenant)
    return not_found("there is no such event; for an id of your own, add "
                     "?tenant=");
  name.tenant = std::move(*tenant);
  name.key = request.parameter;
  return name;
}

std::optional<store::event_row> find(store::catalog& db,
                                     const event_name& name) {
  if (!name.tenant.empty())
    if (auto row = db.event_by_key(name.tenant, name.key))
      return row;
  if (!name.id)
    return {};
  auto row = db.event(*name.id);
  return row && (name.tenant.empty() || row->tenant == name.tenant)
             ? row
             : std::nullopt;
}

std::variant<store::event_filter, problem>
read_filter(const query_values& query) {
  store::event_filter filter;
  filter.tenant = query.find("tenant");
  filter.type = query.find("type");
  if (auto refused = read_span(query, filter.since, filter.until))
    return *std::move(refused);
  return filter;
}

// A key is the id's text, which no other form of it can stand for.
list_page<store::event_row> find_events(store::catalog& db,
                                        const store::event_filter& filter,
                                        const list_place& place) {
  auto found = db.events(filter, parse_event_id(place.key), place.limit);
  return {std::move(found.rows),
          found.next ? event_public_id(*found.next) : std::string{}};
}

} // namespace

void get_events(call_ptr request) {
  answer_list(std::move(request),
              {"events", 0, {"tenant", "type", "since", "until"}}, read_filter,
              find_events, write_event);
}

void get_event(call_ptr request) {
  auto name = read_name(*request);
  if (auto* refused = std::get_if<problem>(&name))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request),
            [name = std::get<event_name>(name)](call& of, store::catalog& db) {
              auto row = find(db, name);
              if (!row)
                return answer(of, no_event());
              json_writer out;
              write_event(out, *row);
              answer_json(of, 200, std::move(out));
            });
}

void get_payload(call_ptr request) {
  auto name = read_name(*request);
  if (auto* refused = std::get_if<problem>(&name))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request), [name = std::get<event_name>(name)](
                                    call& of, store::catalog& db) {
    auto row = find(db, name);
    auto payload = row ? db.payload(row->id) : std::nullopt;
    if (!payload)
      return answer(of, no_event());
    // The bytes are a customer's: no browser may run them as a page of ours.
    answer(of, net::server_response{
                   200,
                   {{"Content-Type", payload->content_type},
                    {"Content-Disposition", "attachment"},
                    {"Content-Security-Policy", "default-src 'none'; sandbox"}},
                   std::move(payload->bytes)});
  });
}

} // namespace postrider::api
