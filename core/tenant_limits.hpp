#pragma once

#include "core/token_bucket.hpp"

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace postrider {

/// How many attempts each tenant has in flight on this node, and how many it
/// begins in a second, so that none takes the others' share. May be called
/// from any thread; no lock is held while a waiter is called.
///
/// Who finds all slots taken waits in line and is called once when a slot is
/// free. The slot is kept for him for 50 ms, so that whoever comes along
/// meanwhile does not take it first. Tenants with nothing in flight are
/// forgotten as others come.
class tenant_limits {
public:
  using time_point = token_bucket::time_point;

  enum class verdict : std::uint8_t {
    granted, ///< to be given back by `leave`
    busy,    ///< the waiter will be called
    later,   ///< ask again at a time; nobody will be called
  };
  struct answer {
    verdict what = verdict::granted;
    time_point at{};
  };

  /// For tenants without limits of their own; 0: no limit.
  struct defaults {
    int max_in_flight = 1'000;
    double rate = 0;
    friend bool operator==(const defaults&, const defaults&) = default;
  };
  /// A tenant's own; where it has none, the default.
  struct limits {
    std::optional<int> max_in_flight;
    std::optional<double> rate;
    friend bool operator==(const limits&, const limits&) = default;
  };
  using overrides = std::unordered_map<std::string, limits>;

  /// Who asks. By `who` he is known again and has one place in a tenant's
  /// line; those without share the slots that are kept for one of them.
  struct waiter {
    static constexpr std::int64_t anonymous = -1;

    waiter(std::int64_t id, std::function<void()> call)
        : who{id}, wake{std::move(call)} {}
    template <class Call>
    requires std::constructible_from<std::function<void()>, Call>
    waiter(Call call) : who{anonymous}, wake{std::move(call)} {}

    std::int64_t who;
    std::function<void()> wake; ///< on whatever thread; must not throw
  };

  /// They hold at once: what was in flight stays, and who may begin now is
  /// called.
  void configure(defaults all);
  void override(overrides some);

  /// Asks for a slot and, last, for a token of the rate. The waiter is copied
  /// only to stand in line.
  answer enter(std::string_view tenant, const waiter& asks, time_point now);
  void leave(std::string_view tenant);

  std::size_t in_flight(std::string_view tenant) const;
  /// How many tenants it remembers.
  std::size_t known() const;

private:
  struct promise {
    std::int64_t who;
    /// When somebody else asked first: from then on it is kept for a while.
    std::optional<time_point> seen;
  };

  struct account {
    std::uint64_t version = 0; ///< of the settings that it goes by
    int cap = 0;
    int in_flight = 0;
    std::optional<token_bucket> tokens;
    /// Not empty only while something is in flight, whose end serves it.
    std::deque<waiter> line;
    std::vector<promise> promises;

    bool has_room() const {
      return cap <= 0 || in_flight + std::ssize(promises) < cap;
    }
    bool idle(time_point now) const;
  };

  struct text_hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, account, text_hash, std::equal_to<>> all;
    unsigned entries = 0;
  };
  struct settings {
    std::uint64_t version = 1;
    defaults all;
    overrides some;
  };
  using calls = std::vector<std::function<void()>>;

  shard& shard_of(std::string_view tenant) const;
  account& account_of(shard& at, std::string_view tenant, time_point now);
  void change(const std::function<bool(settings&)>& how);
  static void adopt(account& of, const settings& from, std::string_view tenant,
                    std::optional<time_point> now);
  static answer decide(account& of, const waiter& asks, time_point now,
                       calls& out);
  static answer wait(account& of, const waiter& asks, bool first,
                     time_point now);
  static void expire(account& of, time_point now);
  static void serve(account& of, calls& out);

  std::shared_ptr<const settings> current() const;

  mutable std::mutex settings_mutex_;
  std::shared_ptr<const settings> settings_ = std::make_shared<settings>();
  std::atomic<std::uint64_t> version_{1};
  mutable std::array<shard, 32> shards_;
};

} // namespace postrider
