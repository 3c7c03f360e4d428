#include "app/bench/load_maker.hpp"

#include <fmt/format.h>

#include <utility>

namespace postrider::app {

namespace {

/// Requests under way in an open loop; past that the loop waits, and the wait
/// counts as latency.
constexpr std::size_t most_open = 10'000;

} // namespace

http_load::http_load(const std::string& api_url, const std::string& key,
                     const load_options& options, load_plan& plan,
                     load_tally& tally)
    : options_{options},
      payloads_{options.payload},
      plan_{plan},
      tally_{tally},
      api_{api_url, key, std::chrono::seconds{30}, options.connections} {
  if (!options_.open_loop) {
    senders_ = options_.connections;
    for (std::size_t i = 0; i < options_.connections; ++i)
      send_next();
    return;
  }
  senders_ = 1;
  sender_ = std::thread{[this] {
    while (const auto one = plan_.next()) {
      if (!plan_.wait_for(*one))
        break;
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return open_ < most_open; });
      lock.unlock();
      send(*one);
    }
    const std::lock_guard guard{mutex_};
    --senders_;
  }};
}

http_load::~http_load() {
  plan_.end();
  api_.stop(); // the callbacks have run afterwards; a late send ends at once
  if (sender_.joinable())
    sender_.join();
}

bool http_load::done() const {
  const std::lock_guard guard{mutex_};
  return open_ == 0 && senders_ == 0;
}

std::string http_load::body_of(const load_portion& one) const {
  std::string body = options_.batches ? "[" : "";
  for (std::uint64_t i = 0; i < one.count; ++i) {
    const auto number = one.first + i;
    const auto& to = options_.targets[number % options_.targets.size()];
    body += fmt::format(R"({}{{"tenant":"{}","type":"{}","payload":{}}})",
                        i == 0 ? "" : ",", to.tenant, to.type,
                        payloads_.make({number, one.intended}));
  }
  if (options_.batches)
    body += ']';
  return body;
}

void http_load::send(const load_portion& one) {
  {
    const std::lock_guard guard{mutex_};
    ++open_;
  }
  api_.post(options_.batches ? "/v1/events/batch" : "/v1/events", body_of(one),
            [this, one](const api_answer& answer) {
              answered(one, answer);
              if (!options_.open_loop)
                send_next();
              const std::lock_guard guard{mutex_};
              --open_;
              changed_.notify_one();
            });
}

void http_load::send_next() {
  if (const auto one = plan_.next()) {
    send(*one);
    return;
  }
  const std::lock_guard guard{mutex_};
  --senders_;
}

void http_load::answered(const load_portion& one, const api_answer& answer) {
  const bool taken =
      options_.batches ? answer.status == 200
                             && answer.body.starts_with(
                                 fmt::format(R"({{"accepted":{},)", one.count))
                       : answer.status == 201;
  if (taken)
    tally_.accepted(one);
  else if (answer.status == 503)
    tally_.refused(one);
  else
    tally_.failed(one, fmt::format("{} {} {:.200}", answer.status, answer.fault,
                                   answer.body));
}

} // namespace postrider::app
