#pragma once

#include "app/api/config_ports.hpp"
#include "core/model.hpp"
#include "store/catalog.hpp"
#include "store/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace postrider::api {

/// What the engine says to a batch of events.
struct ingest_answer {
  enum class status {
    stored,      ///< `results` has one entry for each event
    overloaded,  ///< the queue is full; nothing was stored
    unavailable, ///< the database is away; whether it was stored is unknown
    draining,    ///< this node is stopping; nothing was stored
  } what = status::stored;
  std::vector<ingest_result> results;
};

struct health_check {
  std::string name;
  bool ok = true;
  std::string detail;
};

/// What the API needs of the engine. Every callback is called exactly once,
/// from another thread or at once.
struct ports {
  /// Many small calls are committed together; each gets its own answer.
  std::function<void(std::vector<new_event>,
                     std::function<void(ingest_answer)>)>
      ingest;
  /// Runs `job` on a thread that may block, with a connected catalog.
  /// `failed` is called instead when the job throws `store::error`, or when
  /// too many jobs wait (an error of kind `transient`).
  std::function<void(std::function<void(store::catalog&)> job,
                     std::function<void(const store::error&)> failed)>
      query;
  /// Tells the engine that an endpoint or delivery was changed: only a hint.
  std::function<void()> changed;
  std::function<std::vector<health_check>()> ready;
  /// For the admin listener; may be empty.
  std::function<std::vector<health_check>()> alive;
  std::function<std::vector<health_check>()> started;
  /// The page of metrics in the text format of Prometheus.
  std::function<std::string()> metrics;
  /// Absent where the configuration can't be read again.
  std::optional<config_ports> config;
};

} // namespace postrider::api
