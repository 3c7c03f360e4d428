#include "actors/settler.hpp"

#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "actors/request_watch.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace postrider::actors {

namespace {

using namespace std::chrono;

struct settler_state;
using settler_ptr = metered_pointer<settler_actor, settler_state>;

struct settler_state {
  static constexpr const char* name = "settler";

  explicit settler_state(settler_ptr owner) : self{owner} {}

  outcome_box& box() { return *options.box; }

  void gather() {
    box().heard();
    gauge();
    if (box().waiting() >= options.most && !resting)
      write();
    else
      arm(options.delay);
  }

  void gauge() { options.counters->unsettled = box().came() - box().ended(); }

  void arm(milliseconds after) {
    if (armed || running || box().waiting() == 0)
      return;
    armed = true;
    self->delayed_send(self, after, atom::tick_v);
  }

  void tick() {
    armed = false;
    resting = false;
    write();
  }

  void write() {
    if (running)
      return;
    if (box().waiting() == 0)
      return;
    running = box().take(batch_limit);
    watch.ask(self, seconds{60}, store, atom::settle_v, *running)
        .then([this](const settle_report& done) { written(done); },
              [this](const caf::error& fault) { failed(fault); });
  }

  void written(const settle_report& done) {
    const auto batch = std::exchange(running, nullptr);
    watch.done();
    pause = options.first_pause;
    batch_limit = options.most;
    count(*batch, done.fenced);
    // The reader hears of it before anybody can take it for not pending.
    if (const auto reader = box().reader())
      self->send(*reader, atom::left_v, box().news_of(done.deliveries));
    ended();
    if (box().waiting() >= options.most)
      write();
    else
      arm(options.delay);
  }

  void ended() { tell(box().done(self->clock().now())); }

  void tell(const std::vector<partition_actor>& drained) {
    for (const auto& driver : drained)
      self->send(driver, atom::drain_v);
    gauge();
    answer_flushes();
  }

  /// Runs the same batch again: whether it was committed is unknown, and rows
  /// that it has settled are simply not hit a second time.
  void failed(const caf::error& fault) {
    const auto batch = std::exchange(running, nullptr);
    watch.done();
    if (is_hopeless(fault) && batch->size() == 1) {
      give_up(*batch, fault);
      return;
    }
    // One outcome that can't be written must not hold the others: halve.
    if (is_hopeless(fault))
      batch_limit = std::max<std::size_t>(1, batch->size() / 2);
    options.log(level::warn, name,
                "outcomes wait for the database: " + text_of(fault));
    box().put_back();
    // However many come meanwhile, a pause is a pause.
    resting = true;
    arm(is_hopeless(fault) ? options.delay : pause);
    pause = std::min(pause * 2, options.longest_pause);
  }

  /// Stays in the reader's window, so that it is not sent again.
  void give_up(const settlement_list& lost, const caf::error& fault) {
    options.log(level::error, name,
                "the outcome of delivery "
                    + std::to_string(lost.front().delivery)
                    + " can't be written: " + text_of(fault));
    tell(box().given_up(self->clock().now()));
    arm(options.delay);
  }

  void count(const settlement_list& batch, std::uint64_t fenced) {
    auto& to = *options.counters;
    to.fenced += fenced;
    for (const auto& one : batch) {
      if (one.sent)
        ++to.attempts;
      switch (one.state) {
      case delivery_state::succeeded:
        ++to.succeeded;
        break;
      case delivery_state::retrying:
        ++to.retried;
        break;
      case delivery_state::cancelled:
        ++to.cancelled;
        break;
      case delivery_state::held:
        break; // neither ended nor due
      default:
        ++to.failed;
      }
    }
  }

  caf::result<bool> flush() {
    const auto upto = box().came();
    if (box().ended() >= upto)
      return true;
    auto promise = self->make_response_promise<bool>();
    flushes.push_back({upto, promise});
    write();
    return promise;
  }

  /// Outcomes are written in the order they came in: a flush is done when as
  /// many have ended as there were then, however many came since.
  void answer_flushes() {
    const auto upto = box().ended();
    while (!flushes.empty() && flushes.front().upto <= upto) {
      flushes.front().promise.deliver(true);
      flushes.pop_front();
    }
  }

  struct flush_request {
    std::uint64_t upto = 0;
    caf::typed_response_promise<bool> promise;
  };

  settler_ptr self;
  settler_options options;
  settle_store_actor store;
  request_watch watch;
  std::shared_ptr<const settlement_list> running; ///< is being written
  std::deque<flush_request> flushes;
  milliseconds pause{50};
  std::size_t batch_limit = 500;
  bool armed = false;
  bool resting = false; ///< after a failure, until the tick
};

settler_actor::behavior_type settler(settler_ptr self, settler_options options,
                                     settle_store_actor store) {
  auto& st = self->state;
  st.options = std::move(options);
  st.store = std::move(store);
  st.pause = st.options.first_pause;
  st.batch_limit = st.options.most;
  st.box().written_by(self);
  st.gather(); // what its predecessor has left
  return {
      [&st](atom::settle) { st.gather(); },
      [&st](atom::flush) { return st.flush(); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
        st.batch_limit = st.options.most;
      },
      [&st](atom::tick) { st.tick(); },
      [&st](atom::again) { st.watch.look(st.self); },
  };
}

} // namespace

settler_actor spawn_settler(caf::actor_system& system, settler_options options,
                            settle_store_actor store) {
  return system.spawn(settler, std::move(options), std::move(store));
}

} // namespace postrider::actors
