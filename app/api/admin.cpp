#include "app/api/api.hpp"
#include "app/api/call.hpp"
#include "app/api/request_id.hpp"

namespace postrider::api {

namespace {

net::server_response healthz() {
  return {200, {{"Content-Type", "application/json"}}, R"({"status":"ok"})"};
}

net::server_response readyz(const ports& engine) {
  auto checks = engine.ready();
  bool ready = true;
  for (const auto& check : checks)
    ready = ready && check.ok;
  json_writer out;
  out.begin_object();
  out.key("status").string(ready ? "ok" : "unavailable");
  out.key("checks").begin_array();
  for (const auto& [name, ok, detail] : checks) {
    out.begin_object();
    out.key("name").string(name);
    out.key("ok").boolean(ok);
    out.text_if("detail", detail);
    out.end_object();
  }
  out.end_array().end_object();
  net::server_response response{
      ready ? 200 : 503, {{"Content-Type", "application/json"}}, out.take()};
  if (!ready)
    response.headers.push_back({"Retry-After", "1"});
  return response;
}

} // namespace

net::http_server::handler make_admin(ports engine) {
  return [engine =
              std::move(engine)](net::server_request request,
                                 const net::http_server::respond& respond) {
    std::string_view target = request.target;
    auto path = target.substr(0, target.find('?'));
    auto id = request_id_from(request.find("x-request-id"));
    net::server_response response;
    if (path != "/healthz" && path != "/readyz")
      response = to_response(not_found("this path does not exist"), path, id);
    else if (request.method != "GET" && request.method != "HEAD")
      response = to_response({405,
                              "method_not_allowed",
                              "only GET can be done here",
                              {},
                              {{"Allow", "GET"}}},
                             path, id);
    else
      response = path == "/healthz" ? healthz() : readyz(engine);
    response.headers.push_back({"X-Request-Id", id});
    response.headers.push_back({"Cache-Control", "no-store"});
    respond(std::move(response));
  };
}

} // namespace postrider::api
