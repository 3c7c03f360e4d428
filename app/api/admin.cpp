#include "app/api/api.hpp"
#include "app/api/call.hpp"
#include "app/api/request_id.hpp"

#include <algorithm>
#include <iterator>

namespace postrider::api {

namespace {

net::server_response report(const std::vector<health_check>& checks) {
  const bool well = std::all_of(checks.begin(), checks.end(),
                                [](const auto& one) { return one.ok; });
  json_writer out;
  out.begin_object();
  out.key("status").string(well ? "ok" : "unavailable");
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
      well ? 200 : 503, {{"Content-Type", "application/json"}}, out.take()};
  if (!well)
    response.headers.push_back({"Retry-After", "1"});
  return response;
}

net::server_response healthz(const ports& engine) {
  return report(engine.alive ? engine.alive() : std::vector<health_check>{});
}

net::server_response readyz(const ports& engine) {
  return report(engine.ready());
}

net::server_response startupz(const ports& engine) {
  return report(engine.started ? engine.started() : engine.ready());
}

net::server_response metrics(const ports& engine) {
  return {200,
          {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
          engine.metrics ? engine.metrics() : std::string{}};
}

struct page {
  std::string_view path;
  net::server_response (*make)(const ports&);
};

constexpr page pages[] = {
    {"/healthz", healthz},
    {"/readyz", readyz},
    {"/startupz", startupz},
    {"/metrics", metrics},
};

} // namespace

net::http_server::handler make_admin(ports engine) {
  return [engine =
              std::move(engine)](net::server_request request,
                                 const net::http_server::respond& respond) {
    std::string_view target = request.target;
    auto path = target.substr(0, target.find('?'));
    auto id = request_id_from(request.find("x-request-id"));
    net::server_response response;
    const auto* found =
        std::find_if(std::begin(pages), std::end(pages),
                     [&](const page& one) { return one.path == path; });
    if (found == std::end(pages))
      response = to_response(not_found("this path does not exist"), path, id);
    else if (request.method != "GET" && request.method != "HEAD")
      response = to_response({405,
                              "method_not_allowed",
                              "only GET can be done here",
                              {},
                              {{"Allow", "GET"}}},
                             path, id);
    else
      response = found->make(engine);
    response.headers.push_back({"X-Request-Id", id});
    response.headers.push_back({"Cache-Control", "no-store"});
    respond(std::move(response));
  };
}

} // namespace postrider::api
