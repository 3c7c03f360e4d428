#pragma once

#include "actors/pulse.hpp"
#include "core/failpoint.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace postrider::actors {

/// The configuration of a system whose actors are to be seen. Under another
/// one they run unmetered.
struct metered_config : caf::actor_system_config {
  std::shared_ptr<pulse_board> board = std::make_shared<pulse_board>();
};

/// An actor that keeps a pulse: it counts what it is sent and times what it
/// does, whatever its handlers are.
template <class Base>
class metered : public Base {
public:
  template <class... Ts>
  explicit metered(caf::actor_config& config, Ts&&... xs)
      : Base(config, std::forward<Ts>(xs)...) {
    if (const auto* of =
            dynamic_cast<const metered_config*>(&this->system().config())) {
      board_ = of->board;
      pulse_ = std::make_shared<actor_pulse>();
    }
  }

  ~metered() override { end(); }

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* on) override {
    if (pulse_)
      pulse_->received.add();
    Base::enqueue(std::move(what), on);
  }

  caf::invoke_message_result consume(caf::mailbox_element& what) override {
    if (!pulse_)
      return Base::consume(what);
    const running_handler timed{*pulse_};
#ifdef POSTRIDER_FAILPOINTS
    this->current_element_ = &what; // CAF answers a request that threw
    POSTRIDER_FAILPOINT("actor." + kind_);
    if (comes_from_another(what) && POSTRIDER_FAILS("actor.lost"))
      return lose(what);
#endif
    return Base::consume(what);
  }

  void initialize() override {
    if (pulse_) {
      kind_ = this->name();
      board_->add(kind_, pulse_);
    }
    Base::initialize();
  }

  bool cleanup(caf::error&& why, caf::execution_unit* on) override {
    end();
    return Base::cleanup(std::move(why), on);
  }

private:
#ifdef POSTRIDER_FAILPOINTS
  /// Not what an actor tells itself, nor what CAF does.
  bool comes_from_another(const caf::mailbox_element& what) const {
    const auto& is = what.content();
    return what.sender != this->ctrl()
           && !is.template match_elements<caf::exit_msg>()
           && !is.template match_elements<caf::down_msg>()
           && !is.template match_elements<caf::error>();
  }

  /// Whoever asked hears that it has failed, as when it was cut off.
  caf::invoke_message_result lose(caf::mailbox_element& what) {
    auto lost = caf::make_message(
        caf::make_error(caf::sec::runtime_error, std::string{"lost"}));
    if (what.mid.is_response()) {
      const auto failed =
          caf::make_mailbox_element(what.sender, what.mid, {}, std::move(lost));
      this->current_element_ = failed.get();
      const auto out = Base::consume(*failed);
      this->current_element_ = &what;
      return out;
    }
    if (what.mid.is_request() && what.sender)
      what.sender->enqueue(this->ctrl(), what.mid.response_id(),
                           std::move(lost), this->context());
    return caf::invoke_message_result::consumed;
  }
#endif

  /// Also when the handler throws.
  struct running_handler {
    explicit running_handler(actor_pulse& whose)
        : of{whose}, from{std::chrono::steady_clock::now()} {
      const std::chrono::nanoseconds began{from.time_since_epoch()};
      of.since.store(began.count(), std::memory_order_relaxed);
    }
    ~running_handler() {
      of.since.store(0, std::memory_order_relaxed);
      of.spent.observe(std::chrono::steady_clock::now() - from);
      of.handled.add();
    }
    running_handler(const running_handler&) = delete;
    running_handler& operator=(const running_handler&) = delete;

    actor_pulse& of;
    std::chrono::steady_clock::time_point from;
  };

  void end() {
    if (board_ && !kind_.empty())
      board_->remove(kind_, pulse_);
  }

  std::shared_ptr<pulse_board> board_;
  actor_pulse_ptr pulse_;
  std::string kind_;
};

/// What the behaviour function of a metered actor takes: in the place of
/// `Actor::stateful_pointer<State>`.
template <class Actor, class State>
using metered_pointer =
    caf::stateful_actor<State, metered<typename Actor::base>>*;

} // namespace postrider::actors
