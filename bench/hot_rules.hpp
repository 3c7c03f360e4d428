#pragma once

#include "bench/samples.hpp"
#include "core/lines.hpp"
#include "core/outcome.hpp"
#include "core/read_window.hpp"
#include "core/wire.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Rules of the hot path that are timed and whose instructions are counted too:
// what a call does depends on nothing but the calls before it. Each returns
// something of its work, so that no compiler leaves the work out.
namespace postrider::bench {

/// The way of one delivery for each endpoint through the lines of a partition:
/// all are added, taken, finished.
class lines_round {
public:
  explicit lines_round(std::int64_t many = endpoints) : endpoints_{many} {}

  std::size_t operator()() {
    for (std::int64_t endpoint = 1; endpoint <= endpoints_; ++endpoint) {
      if (!all_.knows(endpoint))
        all_.configure(endpoint, ordering::fifo, 32);
      auto waiting = row(++id_);
      waiting.endpoint = endpoint;
      all_.add(waiting);
    }
    taken_.clear();
    while (const auto next = all_.take())
      taken_.push_back(*next);
    for (const auto& one : taken_)
      all_.finish(one.endpoint, one.stream);
    return taken_.size();
  }

private:
  std::int64_t endpoints_;
  std::int64_t id_ = 0;
  lines all_;
  std::vector<delivery> taken_;
};

/// A batch read ahead and settled; of endpoints of so many tenants, or of none.
class read_round {
public:
  static constexpr std::int64_t batch = 500;

  explicit read_round(std::int64_t tenants = 0) {
    for (std::int64_t i = 0; i < endpoints && tenants > 0; ++i)
      window_.assign(1 + i, static_cast<std::uint64_t>(i % tenants));
  }

  /// 0 when the window had no room.
  std::size_t operator()() {
    std::vector<delivery> rows;
    rows.reserve(batch);
    for (std::int64_t i = 0; i < batch; ++i)
      rows.push_back(row(++id_));
    window_.asking();
    window_.saw({1, {}, 0}, id_);
    const auto range = window_.next();
    if (!range)
      return 0;
    auto taken = window_.take(*range, rows);
    // At the start all that is behind the cursor may still be late.
    while (const auto late = window_.next_late())
      window_.take_late(*late, {});
    taken = window_.in_order(std::move(taken));
    for (const auto& one : taken)
      window_.leave(one.id);
    return taken.size();
  }

private:
  std::int64_t id_ = 0;
  read_window window_{read_limits{}};
};

/// What follows an attempt that was answered with that status.
class plan_round {
public:
  explicit plan_round(int status) {
    result_.status = status;
    result_.headers = {{"server", "nginx"},
                       {"date", "Sun, 29 Nov 2026 20:00:00 GMT"},
                       {"content-type", "application/json"},
                       {"content-length", "15"}};
  }
  void add(header field) { result_.headers.push_back(std::move(field)); }

  settlement_plan operator()() const {
    return plan_settlement(result_, policy_, 1, std::chrono::hours{24}, now_,
                           0.5, std::chrono::hours{1});
  }

private:
  attempt_result result_;
  const retry_policy& policy_ = *find_retry_policy("default");
  std::chrono::sys_seconds now_{std::chrono::seconds{1'796'000'000}};
};

/// The header fields of an attempt, with its signatures.
class head_round {
public:
  explicit head_round(endpoint to) : to_{std::move(to)} {}

  std::size_t operator()() {
    auto next = row(++id_);
    return attempt_headers(to_, event_, next, now_, options_).text().size();
  }

private:
  endpoint to_;
  event_content event_ = event();
  std::int64_t id_ = 0;
  std::chrono::sys_seconds now_{std::chrono::seconds{1'796'000'000}};
  wire_options options_;
};

/// One `v1` signature, with a key that was used before.
class sign_round {
public:
  explicit sign_round(std::size_t bytes) : body_{payload(bytes)} {}

  std::size_t operator()() const {
    return key_.sign("dlv_01jd0000000000000000000000", {}, body_).size();
  }

private:
  signing_key key_ = *signing_key::from_bytes(std::string(32, 'k'));
  std::string body_;
};

} // namespace postrider::bench
