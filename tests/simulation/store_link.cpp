#include "tests/simulation/store_link.hpp"

#include <string_view>
#include <utility>

namespace postrider::testing {

using namespace std::chrono_literals;

namespace {

bool keeps_leases(std::string_view what) {
  return what == "beat" || what == "acquire" || what == "release"
         || what == "mark" || what == "sweep leases";
}

} // namespace

void store_link::ask(const char* what, std::function<bool()> execute,
                     std::function<void(bool)> answered) {
  // A node that is gone asks nothing any more.
  if (!of_->alive)
    return;
  open_[++tickets_] = {what, std::move(execute), std::move(answered)};
  if (!busy_)
    begin_next();
}

nanos store_link::some_while(const char* what) {
  const auto& p = in_.playing;
  nanos out = std::chrono::microseconds{in_.by.upto(50, 600)};
  if (in_.healed)
    return out;
  if (in_.by.chance(p.late)) {
    out += nanos{in_.by.upto(0, p.latest.count())};
    in_.rare("answered late");
  }
  if (in_.by.chance(p.hangs)) {
    out += 70s;
    in_.rare("hung for longer than anybody's patience");
  }
  // Whoever hears of its leases that late has a trouble of its own.
  if (keeps_leases(what) && out > p.heartbeat * 2)
    to_.was_in_trouble(of_->name, in_.time.now(), in_.time.now() + out);
  return out;
}

void store_link::begin_next() {
  busy_ = false;
  const auto next = begun_ + 1;
  if (!open_.contains(next))
    return;
  busy_ = true;
  begun_ = next;
  in_.time.in(some_while(open_.at(next).what),
              [self = shared_from_this(), next] { self->execute(next); });
}

void store_link::execute(std::int64_t ticket) {
  auto& one = open_.at(ticket);
  const bool faults = !in_.healed;
  // What a dead node had sent may or may not have reached the server.
  const bool sent = of_->alive || in_.by.chance(0.5);
  const bool broken = std::exchange(life_, to_.lives) != to_.lives;
  const bool refused =
      cut() || broken || (faults && in_.by.chance(in_.playing.refused));
  if (sent && !refused) {
    if (!one.execute()) {
      in_.time.in(
          5ms, [self = shared_from_this(), ticket] { self->execute(ticket); });
      return;
    }
    one.executed = true;
    one.arrives = !(faults && in_.by.chance(in_.playing.lost));
    if (!one.arrives)
      in_.rare(std::string{"answer lost: "} + one.what);
  }
  if (to_.away)
    in_.rare(std::string{"asked while the database was away: "} + one.what);
  in_.seen.note(in_.now(), one.what, ticket, one.executed);
  in_.time.in(some_while(one.what),
              [self = shared_from_this(), ticket] { self->arrive(ticket); });
}

void store_link::arrive(std::int64_t ticket) {
  if (!of_->alive)
    return;
  auto& one = open_.at(ticket);
  if (cut())
    one.arrives = false;
  wake(ticket);
  begin_next();
}

void store_link::forget() {
  wake = nullptr;
  for (auto& [ticket, one] : open_)
    one.answered = nullptr;
}

void store_link::answer(std::int64_t ticket) {
  auto one = std::move(open_.at(ticket));
  open_.erase(ticket);
  one.answered(one.arrives);
}

} // namespace postrider::testing
