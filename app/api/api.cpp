#include "app/api/api.hpp"

#include "app/api/auth.hpp"
#include "app/api/call.hpp"
#include "app/api/media.hpp"
#include "app/api/request_id.hpp"
#include "app/api/routes.hpp"
#include "core/signature.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace postrider::api {

namespace {

std::string_view code_for(int status) {
  switch (status) {
  case 405:
    return "method_not_allowed";
  case 408:
    return "request_timeout";
  case 413:
    return "payload_too_large";
  case 414:
    return "uri_too_long";
  case 415:
    return "unsupported_media_type";
  case 417:
    return "expectation_failed";
  case 431:
    return "headers_too_large";
  case 500:
    return "internal";
  case 501:
    return "not_implemented";
  case 503:
    return "overloaded";
  case 505:
    return "version_not_supported";
  default:
    return "malformed_request";
  }
}

/// A call as the server's thread and the engine's hand it on, counted while it
/// lives.
call_ptr make_call(const std::shared_ptr<const service>& on) {
  auto meters = on->options.meters;
  ++meters->in_flight;
  call_ptr made{new call, [meters](call* done) {
                  delete done;
                  --meters->in_flight;
                }};
  made->on = on;
  return made;
}

std::shared_ptr<const service> make_service(api_options options, ports engine) {
  auto made = std::make_shared<service>();
  made->key_digest = sha256(options.key);
  made->options = std::move(options);
  made->engine = std::move(engine);
  return made;
}

void begin(call_ptr request) {
  if (auto refused = refuse_unauthenticated(*request))
    return answer(*request, std::move(*refused));
  // A payload has the type that it was sent with.
  if (!request->path.ends_with("/payload"))
    if (auto refused = refuse_accept(*request))
      return answer(*request, std::move(*refused));
  dispatch(std::move(request));
}

} // namespace

struct live_api::state {
  std::atomic<std::shared_ptr<const service>> now;
};

live_api::live_api(api_options options, ports engine)
    : state_{std::make_shared<state>()} {
  state_->now = make_service(std::move(options), std::move(engine));
}

void live_api::apply(api_options options) {
  const auto before = state_->now.load();
  state_->now = make_service(std::move(options), before->engine);
}

net::http_server::handler live_api::handler() const {
  return [state = state_](net::server_request request,
                          net::http_server::respond respond) {
    auto made = make_call(state->now.load());
    made->request = std::move(request);
    made->respond = std::move(respond);
    made->id = request_id_from(made->request.find("x-request-id"));
    std::string_view target = made->request.target;
    made->path = target.substr(0, target.find('?'));
    made->query = target.substr(std::min(made->path.size() + 1, target.size()));
    begin(std::move(made));
  };
}

net::http_server::handler make_api(api_options options, ports engine) {
  return live_api{std::move(options), std::move(engine)}.handler();
}

net::server_response refuse(int status, std::string_view detail) {
  problem what{status, code_for(status), std::string{detail}, {}, {}};
  if (status == 503)
    what.headers.push_back({"Retry-After", "1"});
  if (status == 405)
    what.headers.push_back({"Allow", "GET, POST, PUT, PATCH, DELETE"});
  auto id = make_request_id();
  auto response = to_response(std::move(what), "", id);
  response.headers.push_back({"X-Request-Id", id});
  return response;
}

} // namespace postrider::api
