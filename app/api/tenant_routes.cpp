#include "app/api/list.hpp"
#include "app/api/media.hpp"
#include "app/api/names.hpp"
#include "app/api/object_reader.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

namespace {

const std::vector<std::string> members{"name", "max_in_flight", "rate"};

/// What the body says; it may be absent as a whole. `null` is the
/// configuration's limit, or no name.
std::variant<store::tenant_change, problem> read_tenant(const call& request) {
  store::tenant_change out;
  if (request.request.body.empty())
    return out;
  auto text = read_json(request.request.body);
  if (auto* fault = std::get_if<json_fault>(&text))
    return malformed_json(*fault);
  const auto& value = std::get<json_value>(text);
  faults found;
  if (value.kind == json_kind::object) {
    object_reader body{value, members, found};
    out.name = body.text("name");
    out.max_in_flight = body.whole("max_in_flight", 1, 100'000);
    out.rate = body.number("rate", 0.001, 1'000'000);
    if (body.is_null("name"))
      out.name = "";
    if (body.is_null("max_in_flight"))
      out.max_in_flight = 0;
    if (body.is_null("rate"))
      out.rate = 0;
  } else {
    found.add("", "wrong_type",
              "must be an object, not " + std::string{describe(value.kind)});
  }
  if (!found.empty())
    return invalid_body(found);
  return out;
}

/// The limits of a tenant that had none.
store::tenant_limits limits_of(const store::tenant_change& body) {
  store::tenant_limits out;
  if (body.max_in_flight.value_or(0) > 0)
    out.max_in_flight = body.max_in_flight;
  if (body.rate.value_or(0) > 0)
    out.rate = body.rate;
  return out;
}

problem no_tenant() {
  return not_found("there is no such tenant");
}

problem reserved() {
  return {409,
          "reserved_tenant",
          "it is the tenant of Postrider's own operational events: it is there "
          "and stays; its limits can be changed with PATCH",
          {},
          {}};
}

void answer_tenant(call& to, store::catalog& db, const std::string& id,
                   int status) {
  auto row = db.tenant(id);
  if (!row)
    return answer(to, no_tenant());
  json_writer out;
  write_tenant(out, *row);
  answer_json(to, status, std::move(out));
}

} // namespace

void put_tenant(call_ptr request) {
  if (auto refused = refuse_media_type(*request, {"application/json"}))
    return answer(*request, std::move(*refused));
  if (!is_id(request->parameter))
    return answer(*request, problem{422,
                                    "validation_failed",
                                    "a tenant's id must be 1 to 128 of A-Z "
                                    "a-z 0-9 _ -",
                                    {},
                                    {}});
  if (request->parameter == store::operators_tenant)
    return answer(*request, reserved());
  auto body = read_tenant(*request);
  if (auto* refused = std::get_if<problem>(&body))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request), [id = std::string{request->parameter},
                                 body = std::get<store::tenant_change>(body)](
                                    call& of, store::catalog& db) {
    const bool made =
        db.put_tenant(id, body.name.value_or(""), limits_of(body));
    if (!made)
      of.on->engine.changed();
    answer_tenant(of, db, id, made ? 201 : 200);
  });
}

void patch_tenant(call_ptr request) {
  if (auto refused = refuse_media_type(
          *request, {"application/merge-patch+json", "application/json"}))
    return answer(*request, std::move(*refused));
  if (!is_id(request->parameter))
    return answer(*request, no_tenant());
  auto body = read_tenant(*request);
  if (auto* refused = std::get_if<problem>(&body))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request), [id = std::string{request->parameter},
                                 body = std::get<store::tenant_change>(body)](
                                    call& of, store::catalog& db) {
    const auto row = db.change_tenant(id, body);
    if (!row)
      return answer(of, no_tenant());
    of.on->engine.changed();
    json_writer out;
    write_tenant(out, *row);
    answer_json(of, 200, std::move(out));
  });
}

void get_tenant(call_ptr request) {
  if (!is_id(request->parameter))
    return answer(*request, no_tenant());
  ask_store(std::move(request), [id = std::string{request->parameter}](
                                    call& of, store::catalog& db) {
    answer_tenant(of, db, id, 200);
  });
}

void get_tenants(call_ptr request) {
  struct everything {};
  answer_list(
      std::move(request), {"tenants", 0, {}},
      [](const query_values&) -> std::variant<everything, problem> {
        return everything{};
      },
      [](store::catalog& db, const everything&, const list_place& place) {
        list_page<store::tenant_row> page;
        page.rows = db.tenants(place.key, place.limit);
        if (std::ssize(page.rows) > place.limit) {
          page.rows.pop_back();
          page.next = page.rows.back().id;
        }
        return page;
      },
      write_tenant);
}

void delete_tenant(call_ptr request) {
  if (!is_id(request->parameter))
    return answer(*request, no_tenant());
  ask_store(std::move(request), [id = std::string{request->parameter}](
                                    call& of, store::catalog& db) {
    switch (db.delete_tenant(id)) {
    case store::removal::not_found:
      return answer(of, no_tenant());
    case store::removal::in_use:
      return answer(of, problem{409,
                                "wrong_state",
                                "it has endpoints: delete them first",
                                {},
                                {}});
    case store::removal::reserved:
      return answer(of, reserved());
    case store::removal::removed:
      break;
    }
    answer(of, net::server_response{204, {}, {}});
  });
}

} // namespace postrider::api
