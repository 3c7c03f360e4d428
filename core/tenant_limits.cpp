#include "core/tenant_limits.hpp"

#include <algorithm>

namespace postrider {

namespace {

using namespace std::chrono_literals;

constexpr auto kept_for = 50ms;
constexpr auto full_line_pause = 100ms;
constexpr std::size_t longest_line = 4'096;
constexpr unsigned sweep_every = 256;

} // namespace

bool tenant_limits::account::idle(time_point now) const {
  return in_flight == 0 && line.empty() && promises.empty()
         && (!tokens || tokens->full(now));
}

void tenant_limits::configure(defaults all) {
  change([&](settings& now) { return std::exchange(now.all, all) != all; });
}

void tenant_limits::override(overrides some) {
  change([&](settings& now) {
    std::swap(now.some, some);
    return now.some != some;
  });
}

tenant_limits::answer tenant_limits::enter(std::string_view tenant,
                                           const waiter& asks, time_point now) {
  auto& at = shard_of(tenant);
  calls out;
  answer result;
  {
    const std::lock_guard lock{at.mutex};
    result = decide(account_of(at, tenant, now), asks, now, out);
  }
  for (const auto& wake : out)
    wake();
  return result;
}

void tenant_limits::leave(std::string_view tenant) {
  auto& at = shard_of(tenant);
  calls out;
  {
    const std::lock_guard lock{at.mutex};
    const auto place = at.all.find(tenant);
    if (place == at.all.end() || place->second.in_flight == 0)
      return;
    --place->second.in_flight;
    serve(place->second, out);
  }
  for (const auto& wake : out)
    wake();
}

std::size_t tenant_limits::in_flight(std::string_view tenant) const {
  auto& at = shard_of(tenant);
  const std::lock_guard lock{at.mutex};
  const auto place = at.all.find(tenant);
  return place == at.all.end()
             ? 0
             : static_cast<std::size_t>(place->second.in_flight);
}

std::size_t tenant_limits::known() const {
  std::size_t all = 0;
  for (const auto& each : shards_) {
    const std::lock_guard lock{each.mutex};
    all += each.all.size();
  }
  return all;
}

// -- one tenant ---------------------------------------------------------------

tenant_limits::answer tenant_limits::decide(account& of, const waiter& asks,
                                            time_point now, calls& out) {
  expire(of, now);
  const auto kept = std::ranges::find(of.promises, asks.who, &promise::who);
  const bool promised = kept != of.promises.end();
  if (promised)
    of.promises.erase(kept);
  else
    serve(of, out); // what has expired is for those in line
  // With room and without a promise, nobody is in line any more.
  const bool may =
      promised ? of.cap <= 0 || of.in_flight < of.cap : of.has_room();
  if (!may)
    return wait(of, asks, promised, now);
  // The last question, as a token can't be given back.
  if (of.tokens && of.tokens->take(1, now) == 0) {
    serve(of, out);
    return {verdict::later, of.tokens->next(now).value_or(now)};
  }
  ++of.in_flight;
  return {verdict::granted, {}};
}

tenant_limits::answer tenant_limits::wait(account& of, const waiter& asks,
                                          bool first, time_point now) {
  // Whoever has the promise may never come, and then nothing would end that
  // could serve the line.
  if (of.in_flight == 0) {
    auto at = now + kept_for;
    for (auto& each : of.promises)
      at = std::min(at, each.seen.emplace(each.seen.value_or(now)) + kept_for);
    return {verdict::later, at};
  }
  if (asks.who != waiter::anonymous)
    if (const auto place = std::ranges::find(of.line, asks.who, &waiter::who);
        place != of.line.end()) {
      // Whoever stood there under this name may be gone.
      place->wake = asks.wake;
      return {verdict::busy, {}};
    }
  if (of.line.size() == longest_line)
    return {verdict::later, now + full_line_pause};
  if (first)
    of.line.push_front(asks);
  else
    of.line.push_back(asks);
  return {verdict::busy, {}};
}

void tenant_limits::expire(account& of, time_point now) {
  std::erase_if(of.promises, [now](const promise& each) {
    return each.seen && now - *each.seen >= kept_for;
  });
  for (auto& each : of.promises)
    if (!each.seen)
      each.seen = now;
}

void tenant_limits::serve(account& of, calls& out) {
  while (!of.line.empty() && of.has_room()) {
    auto& first = of.line.front();
    if (of.cap > 0)
      of.promises.push_back({first.who, {}});
    out.push_back(std::move(first.wake));
    of.line.pop_front();
  }
  if (of.in_flight > 0)
    return;
  // Nothing will end that could serve them: they ask again.
  for (auto& each : of.line)
    out.push_back(std::move(each.wake));
  of.line.clear();
}

// -- all of them --------------------------------------------------------------

tenant_limits::shard& tenant_limits::shard_of(std::string_view tenant) const {
  return shards_[text_hash{}(tenant) % shards_.size()];
}

tenant_limits::account&
tenant_limits::account_of(shard& at, std::string_view tenant, time_point now) {
  if (++at.entries % sweep_every == 0)
    std::erase_if(at.all,
                  [now](const auto& each) { return each.second.idle(now); });
  auto place = at.all.find(tenant);
  if (place == at.all.end())
    place = at.all.emplace(tenant, account{}).first;
  auto& of = place->second;
  if (of.version != version_.load(std::memory_order_acquire))
    adopt(of, *current(), tenant, now);
  return of;
}

// Without a time only the cap, and the rest when somebody asks.
void tenant_limits::adopt(account& of, const settings& from,
                          std::string_view tenant,
                          std::optional<time_point> now) {
  const auto own = from.some.find(std::string{tenant});
  const auto none = limits{};
  const auto& given = own == from.some.end() ? none : own->second;
  of.cap = given.max_in_flight.value_or(from.all.max_in_flight);
  of.version = now ? from.version : 0;
  if (!now)
    return;
  const auto rate = given.rate.value_or(from.all.rate);
  if (rate <= 0)
    of.tokens.reset();
  else if (of.tokens)
    of.tokens->set_rate(rate, *now);
  else
    of.tokens.emplace(rate, *now);
}

void tenant_limits::change(const std::function<bool(settings&)>& how) {
  std::shared_ptr<const settings> fresh;
  {
    const std::lock_guard lock{settings_mutex_};
    auto next = std::make_shared<settings>(*settings_);
    if (!how(*next))
      return;
    ++next->version;
    settings_ = fresh = next;
    version_.store(fresh->version, std::memory_order_release);
  }
  // Those in line may begin now if there is more room.
  for (auto& each : shards_) {
    calls out;
    {
      const std::lock_guard lock{each.mutex};
      for (auto& [tenant, of] : each.all) {
        adopt(of, *fresh, tenant, std::nullopt);
        serve(of, out);
      }
    }
    for (const auto& wake : out)
      wake();
  }
}

std::shared_ptr<const tenant_limits::settings> tenant_limits::current() const {
  const std::lock_guard lock{settings_mutex_};
  return settings_;
}

} // namespace postrider
