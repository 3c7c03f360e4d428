#include "app/api/call.hpp"

#include "app/api/routes.hpp"

namespace postrider::api {

namespace {

problem problem_of(const store::error& error) {
  using kind = store::error::kind;
  switch (error.what_kind()) {
  case kind::transient:
  case kind::broken:
    return try_again("storage_unavailable",
                     "the database can't be used at the moment");
  case kind::conflict:
  case kind::defect:
    break;
  }
  return {500, "internal", "the database refused a statement", {}, {}};
}

/// Refused before an event of it was looked at.
bool brings_events(const call& request) {
  return request.chosen
         && (request.chosen->handle == post_event
             || request.chosen->handle == post_batch);
}

} // namespace

void answer(call& to, net::server_response response) {
  to.on->options.meters->answered(to.chosen, response.status,
                                  std::chrono::steady_clock::now() - to.since);
  response.headers.push_back({"X-Request-Id", to.id});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"Cache-Control", "no-store"});
  to.respond(std::move(response));
}

void answer(call& to, problem what) {
  if (brings_events(to))
    to.on->options.meters->rejected(what.code);
  answer(to, to_response(std::move(what), to.path, to.id));
}

void answer_json(call& to, int status, json_writer body,
                 std::vector<header> headers) {
  headers.push_back({"Content-Type", "application/json"});
  answer(to, net::server_response{status, std::move(headers), body.take()});
}

void ask_store(call_ptr of, std::function<void(call&, store::catalog&)> job) {
  const auto& engine = of->on->engine;
  engine.query(
      [of, job = std::move(job)](store::catalog& db) { job(*of, db); },
      [of](const store::error& error) { answer(*of, problem_of(error)); });
}

problem not_found(std::string detail) {
  return {404, "not_found", std::move(detail), {}, {}};
}

} // namespace postrider::api
