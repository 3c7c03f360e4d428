#pragma once

#include "app/api/api.hpp"
#include "app/api/json_writer.hpp"
#include "app/api/problem.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace postrider::api {

/// What all calls share, until the options are exchanged; never changes.
struct service {
  api_options options;
  ports engine;
  std::string key_digest; ///< SHA-256 of the bearer key
};

struct route;

/// One request on its way through the API.
struct call {
  std::shared_ptr<const service> on;
  net::server_request request;
  net::http_server::respond respond;
  std::string id;             ///< the request's id
  std::string_view path;      ///< of `request.target`
  std::string_view query;     ///< of `request.target`, without `?`
  std::string_view parameter; ///< what stands for `{id}` in the path
  const route* chosen = nullptr;
  std::chrono::steady_clock::time_point since =
      std::chrono::steady_clock::now();
};
using call_ptr = std::shared_ptr<call>;

/// Answers with what every answer carries beside its own headers.
void answer(call& to, net::server_response response);
void answer(call& to, problem what);
/// A JSON body.
void answer_json(call& to, int status, json_writer body,
                 std::vector<header> headers = {});

/// Runs `job` where it may block and use the catalog; it has to answer. A
/// `store::error` it lets through becomes 503 or 500.
void ask_store(call_ptr of, std::function<void(call&, store::catalog&)> job);

/// 404.
problem not_found(std::string detail);

} // namespace postrider::api
