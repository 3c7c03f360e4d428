#include "app/api/endpoint_answer.hpp"
#include "app/api/etag.hpp"
#include "app/api/health_body.hpp"
#include "app/api/media.hpp"
#include "app/api/routes.hpp"
#include "app/api/views.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

/// `name`, or `name_at_least` where there are more than are counted.
void write_count(json_writer& out, std::string_view name, int count) {
  const bool more = count > store::open_row::most;
  out.key(std::string{name} + (more ? "_at_least" : ""))
      .number(std::min(count, store::open_row::most));
}

void operate(call_ptr request, store::health_action what) {
  if (auto refused = refuse_media_type(*request, {"application/json"}))
    return answer(*request, std::move(*refused));
  auto id = parse_endpoint_id(request->parameter);
  if (!id)
    return answer(*request, no_endpoint());
  auto wanted = read_if_match(*request);
  if (auto* refused = std::get_if<problem>(&wanted))
    return answer(*request, std::move(*refused));
  auto reason = read_reason(*request);
  if (auto* refused = std::get_if<problem>(&reason))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request),
            [id = *id, what, reason = std::get<std::string>(reason),
             version = std::get<0>(wanted)](call& of, store::catalog& db) {
              std::optional<store::endpoint_row> row;
              try {
                row = db.operate(id, what, reason, version);
              } catch (const store::error& error) {
                if (error.what_kind() != store::error::kind::conflict
                    || !version)
                  throw;
                return answer(of, precondition_failed());
              }
              if (!row)
                return answer(of, no_endpoint());
              of.on->engine.changed();
              answer_endpoint(of, 200, *row);
            });
}

} // namespace

void get_endpoint_health(call_ptr request) {
  auto id = parse_endpoint_id(request->parameter);
  if (!id)
    return answer(*request, no_endpoint());
  ask_store(std::move(request), [id = *id](call& of, store::catalog& db) {
    const auto row = db.endpoint(id);
    const auto open = db.open(id);
    if (!row || !open)
      return answer(of, no_endpoint());
    json_writer out;
    out.begin_object();
    write_health_members(out, row->health);
    write_count(out, "open", open->open);
    write_count(out, "held", open->held);
    if (open->oldest_held)
      out.key("oldest_held_at").string(to_rfc3339(*open->oldest_held));
    out.end_object();
    answer_json(of, 200, std::move(out));
  });
}

void pause_endpoint(call_ptr request) {
  operate(std::move(request), store::health_action::pause);
}

void resume_endpoint(call_ptr request) {
  operate(std::move(request), store::health_action::resume);
}

void disable_endpoint(call_ptr request) {
  operate(std::move(request), store::health_action::disable);
}

void enable_endpoint(call_ptr request) {
  operate(std::move(request), store::health_action::enable);
}

} // namespace postrider::api
