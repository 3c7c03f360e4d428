#pragma once

#include "app/api/meters.hpp"
#include "app/api/ports.hpp"
#include "core/address.hpp"
#include "net/http_server.hpp"

#include <cstddef>
#include <memory>
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
  /// Where calls are recorded; never null.
  std::shared_ptr<api_meters> meters = std::make_shared<api_meters>();
  /// Of what Postrider says on the wire; no customer's header may have it.
  std::string header_prefix = "X-Postrider-";
};

struct service;

/// The API under `/v1`. Never blocks: what has to wait goes through `engine`.
/// Thread-safe.
class live_api {
public:
  live_api(api_options options, ports engine);

  /// May be used as long as it lives, also when this object is gone.
  net::http_server::handler handler() const;

  /// Requests that come from now on go by these options; one that is under
  /// way ends under those that it began with.
  void apply(api_options options);

private:
  struct state;
  std::shared_ptr<state> state_;
};

/// One whose options stay.
net::http_server::handler make_api(api_options options, ports engine);

/// Without a key: `GET /healthz` (the process and its loops are alive),
/// `GET /startupz` (it has begun its work once), `GET /readyz`, each 503 until
/// all its checks are well, and `GET /metrics`.
net::http_server::handler make_admin(ports engine);

/// The problem document for a request that never reached the handler: put it
/// into `http_server_options::refuse`.
net::server_response refuse(int status, std::string_view detail);

} // namespace postrider::api
