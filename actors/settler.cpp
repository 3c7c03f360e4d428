#include "actors/settler.hpp"

#include "actors/keeper.hpp"
#include "actors/metered.hpp"

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

  void gather(settlement_list& some) {
    std::move(some.begin(), some.end(), std::back_inserter(waiting));
    options.counters->unsettled += some.size();
    gathered += some.size();
    if (waiting.size() >= options.most && !resting)
      write();
    else
      arm(options.delay);
  }

  void arm(milliseconds after) {
    if (armed || writing || waiting.empty())
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
    if (writing || waiting.empty())
      return;
    writing = true;
    const auto many = std::min(waiting.size(), batch_limit);
    auto batch = std::make_shared<settlement_list>(
        std::make_move_iterator(waiting.begin()),
        std::make_move_iterator(waiting.begin()
                                + static_cast<std::ptrdiff_t>(many)));
    waiting.erase(waiting.begin(),
                  waiting.begin() + static_cast<std::ptrdiff_t>(many));
    self->request(store, seconds{60}, atom::settle_v, *batch)
        .then(
            [this, batch](const settle_report& done) { written(*batch, done); },
            [this, batch](const caf::error& fault) { failed(batch, fault); });
  }

  void written(const settlement_list& batch, const settle_report& done) {
    writing = false;
    pause = options.first_pause;
    batch_limit = options.most;
    count(batch, done.fenced);
    ended += batch.size();
    options.counters->unsettled -= batch.size();
    self->send(reader, atom::left_v, done.deliveries);
    if (waiting.size() >= options.most)
      write();
    else
      arm(options.delay);
    answer_flushes();
  }

  /// Runs the same batch again: whether it was committed is unknown, and rows
  /// that it has settled are simply not hit a second time.
  void failed(const std::shared_ptr<settlement_list>& batch,
              const caf::error& fault) {
    writing = false;
    if (is_hopeless(fault) && batch->size() == 1) {
      give_up(batch->front(), fault);
      return;
    }
    // One outcome that can't be written must not hold the others: halve.
    if (is_hopeless(fault))
      batch_limit = std::max<std::size_t>(1, batch->size() / 2);
    options.log(level::warn, name,
                "outcomes wait for the database: " + text_of(fault));
    waiting.insert(waiting.begin(), std::make_move_iterator(batch->begin()),
                   std::make_move_iterator(batch->end()));
    // However many come meanwhile, a pause is a pause.
    resting = true;
    arm(is_hopeless(fault) ? options.delay : pause);
    pause = std::min(pause * 2, options.longest_pause);
  }

  /// Stays in the reader's window, so that it is not sent again.
  void give_up(const store::settlement& lost, const caf::error& fault) {
    options.log(level::error, name,
                "the outcome of delivery " + std::to_string(lost.delivery)
                    + " can't be written: " + text_of(fault));
    --options.counters->unsettled;
    ++ended;
    arm(options.delay);
    answer_flushes();
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
    if (ended == gathered)
      return true;
    auto promise = self->make_response_promise<bool>();
    flushes.push_back({gathered, promise});
    write();
    return promise;
  }

  /// Outcomes are written in the order they came in: a flush is done when as
  /// many have ended as there were then, however many came since.
  void answer_flushes() {
    while (!flushes.empty() && flushes.front().upto <= ended) {
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
  reader_actor reader;
  std::deque<store::settlement> waiting;
  std::deque<flush_request> flushes;
  std::uint64_t gathered = 0;
  std::uint64_t ended = 0;
  milliseconds pause{50};
  std::size_t batch_limit = 500;
  bool armed = false;
  bool writing = false;
  bool resting = false; ///< after a failure, until the tick
};

settler_actor::behavior_type settler(settler_ptr self, settler_options options,
                                     settle_store_actor store,
                                     reader_actor reader) {
  auto& st = self->state;
  st.options = std::move(options);
  st.store = std::move(store);
  st.reader = std::move(reader);
  st.pause = st.options.first_pause;
  st.batch_limit = st.options.most;
  return {
      [&st](atom::settle, settlement_list& some) { st.gather(some); },
      [&st](atom::flush) { return st.flush(); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
        st.batch_limit = st.options.most;
      },
      [&st](atom::tick) { st.tick(); },
  };
}

} // namespace

settler_actor spawn_settler(caf::actor_system& system, settler_options options,
                            settle_store_actor store, reader_actor reader) {
  return system.spawn(settler, std::move(options), std::move(store),
                      std::move(reader));
}

} // namespace postrider::actors
