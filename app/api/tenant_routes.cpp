#include "app/api/list.hpp"
#include "app/api/media.hpp"
#include "app/api/names.hpp"
#include "app/api/object_reader.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

namespace {

const std::vector<std::string> members{"name"};

/// The name in the body, which may be absent as a whole.
std::variant<std::string, problem> read_name(const call& request) {
  if (request.request.body.empty())
    return std::string{};
  auto text = read_json(request.request.body);
  if (auto* fault = std::get_if<json_fault>(&text))
    return malformed_json(*fault);
  const auto& value = std::get<json_value>(text);
  faults found;
  std::string name;
  if (value.kind == json_kind::object)
    name = object_reader{value, members, found}.text("name").value_or("");
  else
    found.add("", "wrong_type",
              "must be an object, not " + std::string{describe(value.kind)});
  if (!found.empty())
    return invalid_body(found);
  return name;
}

void answer_tenant(call& to, store::catalog& db, const std::string& id,
                   int status) {
  auto row = db.tenant(id);
  if (!row)
    return answer(to, not_found("there is no such tenant"));
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
  auto name = read_name(*request);
  if (auto* refused = std::get_if<problem>(&name))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request),
            [id = std::string{request->parameter},
             name = std::get<std::string>(name)](call& of, store::catalog& db) {
              answer_tenant(of, db, id, db.put_tenant(id, name) ? 201 : 200);
            });
}

void get_tenant(call_ptr request) {
  if (!is_id(request->parameter))
    return answer(*request, not_found("there is no such tenant"));
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
    return answer(*request, not_found("there is no such tenant"));
  ask_store(std::move(request), [id = std::string{request->parameter}](
                                    call& of, store::catalog& db) {
    switch (db.delete_tenant(id)) {
    case store::removal::not_found:
      return answer(of, not_found("there is no such tenant"));
    case store::removal::in_use:
      return answer(of, problem{409,
                                "wrong_state",
                                "it has endpoints: delete them first",
                                {},
                                {}});
    case store::removal::removed:
      break;
    }
    answer(of, net::server_response{204, {}, {}});
  });
}

} // namespace postrider::api
