#pragma once

#include "actors/protocol.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/duration.hpp>
#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/message_id.hpp>
#include <caf/sec.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace postrider::actors {

/// The timeouts of an actor's requests, looked at once a second: a timer of
/// CAF's for each wakes the thread of its clock for each, for nothing.
class request_watch {
public:
  static constexpr std::chrono::seconds every{1};

  /// A request that is answered with `request_timeout` when nothing has come
  /// after `patience`, or up to a second later. Whoever asks says `done` when
  /// an answer has come, and `look`s at `atom::again`.
  template <class Self, class Dest, class... Ts>
  auto ask(Self self, std::chrono::nanoseconds patience, const Dest& to,
           Ts&&... xs) {
    auto out = self->request(to, caf::infinite, std::forward<Ts>(xs)...);
    open_.push_back({out.id(), self->clock().now() + patience});
    arm(self);
    return out;
  }

  void done(caf::message_id id) {
    std::erase_if(open_, [&](const entry& one) { return one.id == id; });
  }
  /// For an actor that asks one at a time.
  void done() { open_.clear(); }

  template <class Self>
  void look(Self self) {
    armed_ = false;
    const auto now = self->clock().now();
    std::erase_if(open_, [&](const entry& one) {
      if (now < one.until)
        return false;
      caf::abstract_actor& me = *self;
      me.enqueue(nullptr, one.id,
                 caf::make_message(caf::make_error(caf::sec::request_timeout)),
                 nullptr);
      return true;
    });
    arm(self);
  }

private:
  struct entry {
    caf::message_id id;
    time_point until;
  };

  template <class Self>
  void arm(Self self) {
    if (armed_ || open_.empty())
      return;
    armed_ = true;
    self->delayed_send(self, every, atom::again_v);
  }

  std::vector<entry> open_;
  bool armed_ = false;
};

} // namespace postrider::actors
