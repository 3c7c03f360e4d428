#pragma once

#include "app/api/ports.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace postrider::testing {

/// What the API needs of an engine, in memory: it keeps events, knows the
/// tenant `acme`, tells repeats by key and fingerprint, and can be made to
/// refuse. It has no database: every question fails as transient.
class engine {
public:
  api::ports ports();

  std::vector<new_event> stored();
  void refuse_with(api::ingest_answer::status what);
  void report(std::vector<api::health_check> checks);

private:
  ingest_result take(new_event event);

  std::mutex mutex_;
  std::vector<new_event> stored_;
  std::map<std::pair<std::string, std::string>, std::pair<std::string, uuid>>
      keys_;
  api::ingest_answer::status what_ = api::ingest_answer::status::stored;
  std::vector<api::health_check> checks_;
};

} // namespace postrider::testing
