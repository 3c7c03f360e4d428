#include "app/api/media.hpp"
#include "app/api/query.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

namespace {

problem no_node() {
  return not_found("there is no such node; one that was started again has "
                   "another id");
}

void drain(call_ptr request, bool wanted) {
  if (auto refused = refuse_media_type(*request, {"application/json"}))
    return answer(*request, std::move(*refused));
  const auto id = parse_uuid(request->parameter);
  if (!id)
    return answer(*request, no_node());
  ask_store(std::move(request),
            [id = *id, wanted](call& of, store::catalog& db) {
              const auto row = db.drain_node(id, wanted);
              if (!row)
                return answer(of, no_node());
              json_writer out;
              write_node(out, *row);
              answer_json(of, 200, std::move(out));
            });
}

} // namespace

void get_nodes(call_ptr request) {
  auto query = read_query(*request, {});
  if (auto* refused = std::get_if<problem>(&query))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request), [](call& of, store::catalog& db) {
    json_writer out;
    begin_page(out);
    for (const auto& row : db.nodes())
      write_node(out, row);
    end_page(out, "nodes", "");
    answer_json(of, 200, std::move(out));
  });
}

void drain_node(call_ptr request) {
  drain(std::move(request), true);
}

void undrain_node(call_ptr request) {
  drain(std::move(request), false);
}

} // namespace postrider::api
