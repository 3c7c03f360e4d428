#include "tests/app/api/engine.hpp"

namespace postrider::testing {

api::ports engine::ports() {
  api::ports made;
  made.ingest = [this](std::vector<new_event> events,
                       const std::function<void(api::ingest_answer)>& done) {
    api::ingest_answer answer;
    {
      std::lock_guard lock{mutex_};
      answer.what = what_;
      if (what_ == api::ingest_answer::status::stored)
        for (auto& event : events)
          answer.results.push_back(take(std::move(event)));
    }
    done(std::move(answer));
  };
  made.query = [](const std::function<void(store::catalog&)>&,
                  const std::function<void(const store::error&)>& failed) {
    failed({store::error::kind::transient, "secret detail of the database"});
  };
  made.changed = [] {};
  made.ready = [this] {
    std::lock_guard lock{mutex_};
    return checks_;
  };
  return made;
}

std::vector<new_event> engine::stored() {
  std::lock_guard lock{mutex_};
  return stored_;
}

void engine::refuse_with(api::ingest_answer::status what) {
  std::lock_guard lock{mutex_};
  what_ = what;
}

void engine::report(std::vector<api::health_check> checks) {
  std::lock_guard lock{mutex_};
  checks_ = std::move(checks);
}

ingest_result engine::take(new_event event) {
  using status = ingest_result::status;
  ingest_result result;
  result.deliveries = 2;
  if (event.tenant != "acme") {
    result.what = status::unknown_tenant;
    return result;
  }
  if (event.kind == event_kind::command && event.type != "one.receiver") {
    result.what = status::not_one_receiver;
    return result;
  }
  auto number = static_cast<std::uint8_t>(stored_.size() + 1);
  result.id.bytes = {1, 0x99, 0, 0, 0, 0, 0x70, number};
  if (!event.key.empty()) {
    auto [known, fresh] = keys_.try_emplace({event.tenant, event.key},
                                            event.fingerprint, result.id);
    if (!fresh) {
      result.id = known->second.second;
      result.what = known->second.first == event.fingerprint
                        ? status::duplicate
                        : status::key_conflict;
      return result;
    }
  }
  stored_.push_back(std::move(event));
  return result;
}

} // namespace postrider::testing
