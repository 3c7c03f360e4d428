#include "tests/simulation/fleet.hpp"

#include <algorithm>

namespace postrider::testing {

using namespace std::chrono_literals;

void fleet::add_place() {
  places_.emplace_back();
}

void fleet::start(std::size_t where) {
  auto& one = places_[where];
  if (one.node)
    return;
  const auto name =
      "n" + std::to_string(where + 1) + "." + std::to_string(++one.starts);
  in_.seen.note(in_.now(), "start " + name);
  one.node = std::make_shared<sim_node>(in_, database_, network_, name);
  one.leaving = false;
  one.paused_until = 0ns;
}

void fleet::kill(std::size_t where) {
  auto& one = places_[where];
  if (!one.node)
    return;
  in_.seen.note(in_.now(), "kill " + one.node->name());
  in_.write(mark_line{"kill", one.node->name(), in_.now(),
                      (in_.time.now() + 20ms).count(), 0});
  in_.rare("killed");
  database_.was_in_trouble(one.node->name(), in_.time.now(), nanos::max() / 2);
  one.node.reset();
}

void fleet::pause(std::size_t where, nanos by) {
  auto& one = places_[where];
  if (!runs(where))
    return;
  in_.seen.note(in_.now(), "pause " + one.node->name(), by.count());
  one.paused_until = in_.time.now() + by;
  one.node->link().paused_until = one.paused_until;
  database_.was_in_trouble(one.node->name(), in_.time.now(), one.paused_until);
  in_.rare("paused past its lease", by > in_.playing.lease);
  in_.time.at(one.paused_until, [] {}); // somebody has to look then
}

void fleet::leave(std::size_t where) {
  auto& one = places_[where];
  if (!one.node || one.leaving)
    return;
  in_.seen.note(in_.now(), "leave " + one.node->name());
  one.leaving = true;
  one.leaving_since = in_.time.now();
  one.node->stop();
  watch_leaving(where, one.node, 600);
}

void fleet::watch_leaving(std::size_t where, std::weak_ptr<sim_node> who,
                          int left) {
  in_.time.in(50ms, [this, where, who, left] {
    const auto node = who.lock();
    if (!node || places_[where].node != node)
      return;
    if (!node->stopped() && left > 0)
      return watch_leaving(where, node, left - 1);
    const bool clean = node->stopped_clean();
    in_.rare(clean ? "left in order" : "left in disorder");
    if (!clean) {
      note_disorder(places_[where]);
      database_.was_in_trouble(node->name(), in_.time.now(), nanos::max() / 2);
    }
    in_.seen.note(in_.now(), "left " + node->name());
    places_[where].node.reset();
    if (in_.healed)
      start(where);
  });
}

void fleet::note_disorder(const seat& of) {
  in_.write(mark_line{"cut", of.node->name(), of.leaving_since.count(),
                      (in_.time.now() + 20ms).count(), 0});
}

void fleet::end() {
  for (const auto& one : places_)
    if (one.node && one.leaving && !one.node->stopped_clean())
      note_disorder(one);
  places_.clear();
}

void fleet::cut_off(std::size_t where, nanos by) {
  auto& one = places_[where];
  if (!one.node)
    return;
  in_.seen.note(in_.now(), "cut off " + one.node->name(), by.count());
  one.node->link().cut_until = in_.time.now() + by;
  database_.was_in_trouble(one.node->name(), in_.time.now(),
                           one.node->link().cut_until);
}

void fleet::take_offline(std::size_t where, nanos by) {
  auto& one = places_[where];
  if (!one.node)
    return;
  in_.seen.note(in_.now(), "offline " + one.node->name(), by.count());
  one.node->link().offline_until = in_.time.now() + by;
}

void fleet::heal() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    auto& one = places_[i];
    one.paused_until = std::min(one.paused_until, in_.time.now());
    if (one.node) {
      one.node->link().paused_until = 0ns;
      one.node->link().cut_until = 0ns;
      one.node->link().offline_until = 0ns;
    } else {
      start(i);
    }
  }
}

std::vector<std::size_t> fleet::present() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].node && !places_[i].leaving)
      out.push_back(i);
  return out;
}

bool fleet::run_one() {
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (runs(i) && places_[i].node->has_job())
      ready.push_back(i);
  if (ready.empty())
    return false;
  auto& node =
      *places_[ready.size() == 1 ? ready[0] : in_.by.one_of(ready)].node;
  node.catch_up();
  node.run_one();
  return true;
}

std::optional<nanos> fleet::next_timer() const {
  std::optional<nanos> out;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!runs(i))
      continue;
    const auto one = places_[i].node->next_timer();
    if (one && (!out || *one < *out))
      out = one;
  }
  return out;
}

void fleet::catch_up() {
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (runs(i))
      places_[i].node->catch_up();
}

} // namespace postrider::testing
