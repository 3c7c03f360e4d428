#include "tests/simulation/mischief.hpp"

#include <array>
#include <functional>

namespace postrider::testing {

using namespace std::chrono_literals;

void mischief::begin() {
  if (in_.playing.weights() > 0)
    next();
}

void mischief::next() {
  in_.time.in(some_time(in_.playing.every / 4, in_.playing.every * 2), [this] {
    if (in_.healed)
      return;
    strike();
    next();
  });
}

void mischief::take_database_away() {
  if (database_.away)
    return;
  // Now and then for longer than a lease.
  const auto by = in_.by.chance(0.3)
                      ? some_time(in_.playing.lease, in_.playing.lease * 2)
                      : some_time(20ms, in_.playing.lease / 2);
  database_.away = true;
  database_.was_away(in_.time.now(), in_.time.now() + by);
  in_.seen.note(in_.now(), "database away", by.count());
  in_.write(
      mark_line{"database", "", in_.now(), (in_.time.now() + by).count(), 0});
  in_.rare(by > in_.playing.lease ? "database away past the leases"
                                  : "database away");
  in_.time.in(by, [this] { database_.away = false; });
}

void mischief::strike() {
  const auto& p = in_.playing;
  auto roll = in_.by.upto(1, p.weights());
  const std::array<std::pair<int, std::function<void()>>, 5> common{{
      {p.database_away, [this] { take_database_away(); }},
      {p.database_crash,
       [this] {
         database_.crash();
         take_database_away();
       }},
      {p.sickness,
       [this] {
         network_.fall_ill(in_.by.one_of(database_.endpoints()),
                           in_.time.now() + some_time(300ms, 6s),
                           in_.by.chance(0.3));
       }},
      {p.operate,
       [this] {
         const auto which = in_.by.one_of(database_.endpoints());
         database_.operate(which, !database_.paused(which));
       }},
      {p.join,
       [this] {
         for (std::size_t i = 0; i < nodes_.size(); ++i)
           nodes_.start(i);
       }},
  }};
  for (const auto& [weight, act] : common) {
    if (roll <= weight)
      return act();
    roll -= weight;
  }
  strike_node(static_cast<int>(roll));
}

void mischief::strike_node(int roll) {
  const auto& p = in_.playing;
  const auto present = nodes_.present();
  if (present.empty())
    return;
  const auto which = in_.by.one_of(present);
  const auto again = [this, which] {
    in_.time.in(some_time(50ms, 4s), [this, which] { nodes_.start(which); });
  };
  const auto lease = nanos{p.lease};
  const auto some_leases = [&] {
    return in_.by.chance(0.5) ? some_time(lease, lease * 5 / 2)
                              : some_time(20ms, lease * 2 / 3);
  };
  const std::array<std::pair<int, std::function<void()>>, 9> all{{
      {p.kill,
       [&] {
         nodes_.kill(which);
         again();
       }},
      {p.leave,
       [&] {
         nodes_.leave(which);
         in_.time.in(some_time(2s, 8s), [this, which] { nodes_.start(which); });
       }},
      {p.pause, [&] { nodes_.pause(which, some_leases()); }},
      {p.node_cut_off, [&] { nodes_.cut_off(which, some_leases()); }},
      {p.network_away,
       [&] { nodes_.take_offline(which, some_time(500ms, 5s)); }},
      {p.end_driver, [&] { nodes_.at(which)->end_driver(); }},
      {p.end_settler,
       [&] {
         if (nodes_.runs(which))
           nodes_.at(which)->end_settler();
       }},
      {p.end_reader,
       [&] {
         if (nodes_.runs(which))
           nodes_.at(which)->end_reader();
       }},
      {p.end_breaker, [&] { nodes_.at(which)->end_breaker(); }},
  }};
  for (const auto& [weight, act] : all) {
    if (roll <= weight)
      return act();
    roll -= weight;
  }
}

void mischief::heal() {
  in_.seen.note(in_.now(), "heal");
  in_.healed = true;
  database_.away = false;
  network_.heal();
  nodes_.heal();
  for (const auto id : database_.endpoints())
    if (database_.paused(id))
      database_.operate(id, false);
}

} // namespace postrider::testing
