#include "app/api/endpoint_answer.hpp"
#include "app/api/endpoint_body.hpp"
#include "app/api/etag.hpp"
#include "app/api/header_body.hpp"
#include "app/api/health_body.hpp"
#include "app/api/list.hpp"
#include "app/api/media.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

namespace {

constexpr std::string_view list_name = "endpoints";
constexpr std::size_t secret_size = 32;

void create(call& request, store::catalog& db, const endpoint_draft& draft) {
  std::optional<store::endpoint_row> row;
  try {
    row =
        db.create_endpoint(draft.tenant, draft.uid, draft.fields, {*draft.key});
  } catch (const store::error& error) {
    if (error.what_kind() != store::error::kind::conflict)
      throw;
    return answer(request, problem{409,
                                   "uid_taken",
                                   "another endpoint of the tenant has this "
                                   "uid",
                                   {{"/uid", "uid_taken", "is taken"}},
                                   {}});
  }
  if (!row)
    return answer(request,
                  problem{422,
                          "unknown_tenant",
                          "make the tenant first: PUT /v1/tenants/{id}",
                          {{"/tenant", "unknown_tenant", "is not known"}},
                          {}});
  request.on->engine.changed();
  answer_endpoint(request, 201, *row, draft.key->text());
}

} // namespace

void post_endpoint(call_ptr request) {
  if (auto refused = refuse_media_type(*request, {"application/json"}))
    return answer(*request, std::move(*refused));
  auto text = read_json(request->request.body);
  if (auto* fault = std::get_if<json_fault>(&text))
    return answer(*request, malformed_json(*fault));
  faults found;
  auto draft = read_endpoint(std::get<json_value>(text),
                             request->on->options.guard, found);
  refuse_prefix(draft.fields.headers.value_or(std::vector<header>{}),
                request->on->options.header_prefix, "/headers", found);
  if (!found.empty())
    return answer(*request, invalid_body(found));
  if (!draft.key)
    draft.key = signing_key::from_bytes(random_bytes(secret_size));
  ask_store(std::move(request),
            [draft = std::move(draft)](call& of, store::catalog& db) {
              create(of, db, draft);
            });
}

void get_endpoints(call_ptr request) {
  struct filter {
    std::optional<std::string> tenant;
    std::optional<store::health_filter> health;
  };
  answer_list(
      std::move(request), {list_name, 1, {"tenant", "health"}},
      [](const query_values& query) -> std::variant<filter, problem> {
        auto health = read_health_filter(query);
        if (auto* refused = std::get_if<problem>(&health))
          return std::move(*refused);
        return filter{query.find("tenant"), std::get<0>(health)};
      },
      [](store::catalog& db, const filter& by, const list_place& place) {
        auto found = db.endpoints(by.tenant, page_at(place), by.health);
        return list_page<store::endpoint_row>{std::move(found.rows),
                                              key_after(found.next)};
      },
      [](json_writer& out, const store::endpoint_row& row) {
        write_endpoint(out, row);
      });
}

void get_endpoint(call_ptr request) {
  auto id = parse_endpoint_id(request->parameter);
  if (!id)
    return answer(*request, no_endpoint());
  ask_store(std::move(request), [id = *id](call& of, store::catalog& db) {
    auto row = db.endpoint(id);
    if (!row)
      return answer(of, no_endpoint());
    auto tag = etag_of(row->version);
    if (of.request.find("if-none-match") == tag)
      return answer(of, net::server_response{304, {{"ETag", tag}}, {}});
    answer_endpoint(of, 200, *row);
  });
}

void delete_endpoint(call_ptr request) {
  auto id = parse_endpoint_id(request->parameter);
  if (!id)
    return answer(*request, no_endpoint());
  auto wanted = read_if_match(*request);
  if (auto* refused = std::get_if<problem>(&wanted))
    return answer(*request, std::move(*refused));
  auto version = std::get<0>(wanted);
  ask_store(std::move(request),
            [id = *id, version](call& of, store::catalog& db) {
              if (version) {
                auto row = db.endpoint(id);
                if (row && row->version != *version)
                  return answer(of, precondition_failed());
              }
              if (!db.delete_endpoint(id))
                return answer(of, no_endpoint());
              of.on->engine.changed();
              answer(of, net::server_response{204, {}, {}});
            });
}

} // namespace postrider::api
