#pragma once

#include "app/api/ports.hpp"
#include "core/address.hpp"
#include "net/http_server.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace postrider::api {

struct api_options {
  /// The bearer key of every call. With an empty one every call is refused.
  std::string key;
  /// Events in one call of `POST /v1/events/batch`.
  std::size_t max_batch = 1000;
  /// Bytes of one event's payload. The server bounds the request as a whole.
  std::size_t max_body = 256 * 1024;
  /// Judges literal addresses and ports in endpoint URLs as they are written;
  /// names are judged when they are dialled.
  address_guard guard;
};

/// The API under `/v1`. Never blocks: what has to wait goes through `engine`.
net::http_server::handler make_api(api_options options, ports engine);

/// `GET /healthz` (the process is alive) and `GET /readyz` (503 until every
/// check of `engine.ready` is well), without a key.
net::http_server::handler make_admin(ports engine);

/// The problem document for a request that never reached the handler: put it
/// into `http_server_options::refuse`.
net::server_response refuse(int status, std::string_view detail);

} // namespace postrider::api
