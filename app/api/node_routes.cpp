#include "app/api/query.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

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

} // namespace postrider::api
