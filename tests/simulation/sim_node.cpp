#include "tests/simulation/sim_node.hpp"

#include "actors/ending.hpp"
#include "actors/ingester.hpp"
#include "actors/node_supervisor.hpp"
#include "actors/reader.hpp"
#include "actors/settler.hpp"
#include "tests/actors/fakes.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <stdexcept>

namespace postrider::testing {

using namespace std::chrono_literals;

namespace {

/// What the root supervisor does beside starting others anew: it hands hints to
/// the reader, and stops its node in order.
actors::root_supervisor_actor::behavior_type
root(actors::root_supervisor_actor::pointer self,
     std::shared_ptr<node_handles> node,
     std::shared_ptr<actors::outcome_box> box, std::shared_ptr<bool> stopped,
     std::shared_ptr<bool> clean) {
  const auto done = [=](bool well) {
    *clean = well;
    *stopped = true;
  };
  const auto flush = [=](bool well) {
    const auto settler = box->settler();
    if (!settler)
      return done(false);
    self->request(*settler, 10s, atom::flush_v)
        .then([=](bool) { done(well); },
              [=](const caf::error&) { done(false); });
  };
  return {
      [=](atom::stop) {
        if (!node->supervisor) {
          done(false);
          return true;
        }
        self->request(*node->supervisor, 60s, atom::stop_v)
            .then([=](bool well) { flush(well); },
                  [=](const caf::error&) { done(false); });
        return true;
      },
      [=](atom::wake) {
        if (node->reader)
          self->send(*node->reader, atom::wake_v);
      },
      [=](atom::fresh, const actors::fresh_ptr& what) {
        if (node->reader)
          self->send(*node->reader, atom::fresh_v, what);
      },
      [](atom::changed) {},
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::ingest, const actors::ingest_call_ptr&) {},
      [](atom::query, const actors::query_call_ptr&) {},
      [](atom::start) {},
  };
}

} // namespace

sim_node::sim_node(world& in, model_database& database, model_network& network,
                   std::string name)
    : in_{in},
      network_{network},
      link_{std::make_shared<node_link>()},
      system_{config_},
      scheduler_{dynamic_cast<caf::scheduler::test_coordinator&>(
          system_.scheduler())} {
  const auto& p = in.playing;
  link_->name = std::move(name);
  who_ = {in.some_id(), link_->name, p.lease,
          std::chrono::hours{in.by.upto(1, 10'000)}};
  site_ = {&in, &database, who_, link_};
  scheduler_.clock().current_time = who_.clock(in.time.now());
  if (in.seen.loud())
    log_ = [&in, who = link_->name](actors::level, std::string_view component,
                                    const std::string& text) {
      in.seen.say(in.now(),
                  "  " + who + " " + std::string{component} + ": " + text);
    };
  running_.lease_time = p.lease;
  running_.heartbeat = p.heartbeat;
  running_.partition.health = p.health;
  running_.partition.timeout = request_timeout;
  running_.partition.connect_timeout = 300ms;
  running_.partition.defer = 200ms;
  running_.partition.around = around();
  running_.partition.wire.user_agent = link_->name;
  running_.partition.log = log_;
  running_.partition.counters = counters_;
  if (p.tenant_cap > 0)
    running_.partition.tenants->configure({p.tenant_cap, 0});
  spawn_delivery();
  spawn_outcomes();
  root_ = keep(
      system_.spawn(root, now_, running_.partition.outcomes, stopped_, clean_),
      services_);
  actors::ingester_options taking;
  taking.log = log_;
  taking.counters = counters_;
  ingester_ =
      keep(actors::spawn_ingester(
               system_, taking,
               {keep(spawn_model_ingest(system_, site_), services_)}, root_),
           services_);
}

void sim_node::spawn_outcomes() {
  actors::settler_options how;
  how.delay = in_.playing.settle_delay;
  how.most = in_.playing.settle_most;
  how.box = running_.partition.outcomes;
  how.log = log_;
  how.counters = counters_;
  keep(actors::spawn_settler(
           system_, how, keep(spawn_model_outcomes(system_, site_), outcomes_)),
       outcomes_);
}

void sim_node::spawn_delivery() {
  site_.database->begins_anew(who_.node);
  actors::reader_options how;
  how.window = in_.playing.window;
  how.poll_max = in_.playing.poll_max;
  how.flights = running_.partition.flights;
  how.log = log_;
  how.counters = counters_;
  now_->reader = keep(
      actors::spawn_reader(system_, how,
                           keep(spawn_model_reads(system_, site_), delivery_)),
      delivery_);
  running_.partition.outcomes->read_by(*now_->reader);
  std::vector<actors::http_worker_actor> workers;
  for (auto many = in_.by.upto(1, 2); many > 0; --many)
    workers.push_back(
        keep(spawn_model_worker(system_, network_, link_), delivery_));
  now_->supervisor = keep(
      actors::spawn_node_supervisor(
          system_, running_,
          keep(spawn_model_leases(system_, site_), delivery_), *now_->reader,
          keep(spawn_model_health(system_, site_), delivery_), workers),
      delivery_);
}

sim_node::~sim_node() {
  *lives_ = false;
  link_->alive = false;
  count_rare_paths();
  network_.forget(*link_);
  for (const auto& one : link_->links)
    if (const auto link = one.lock())
      link->forget();
  *now_ = {};
  root_ = actors::root_supervisor_actor{};
  ingester_ = actors::ingester_actor{};
  for (auto* some : {&services_, &delivery_, &outcomes_})
    for (const auto& one : std::exchange(*some, {}))
      actors::end_actor(one);
  while (scheduler_.try_run_once()) {
  }
  scheduler_.clock().cancel_all();
  while (scheduler_.try_run_once()) {
  }
}

actors::surroundings sim_node::around() {
  // The wall clock is days off, and nothing must come of that.
  const auto ahead = std::chrono::seconds{in_.by.upto(0, 1'000'000)};
  return {[this, ahead] {
            if (in_.playing.throws > 0 && in_.by.chance(in_.playing.throws)
                && may_fail()) {
              in_.rare("a driver threw");
              throw std::runtime_error{"by dice"};
            }
            return std::chrono::sys_seconds{
                std::chrono::floor<std::chrono::seconds>(in_.time.now())
                + ahead};
          },
          [this] { return in_.by.unit(); }};
}

/// Fewer than make a supervisor give up. Each that is asked for is counted.
bool sim_node::may_fail() {
  std::erase_if(failures_, [&](nanos at) { return at + 60s < in_.time.now(); });
  if (in_.healed || failures_.size() >= 5)
    return false;
  failures_.push_back(in_.time.now());
  return true;
}

void sim_node::run_one() {
  auto& jobs = scheduler_.jobs;
  const auto which =
      in_.playing.orderly ? 0 : in_.by.upto(0, std::ssize(jobs) - 1);
  std::rotate(jobs.begin(), jobs.begin() + which, jobs.begin() + which + 1);
  if (auto* one = dynamic_cast<caf::scheduled_actor*>(jobs.front())) {
    const auto* what = one->mailbox().peek();
    in_.seen.note(in_.now(), one->name(), one->id(),
                  what ? what->content().type_token() : 0);
    if (in_.seen.loud() && what)
      in_.seen.say(in_.now(),
                   "  " + name() + " " + caf::to_string(what->content()));
  }
  if (auto* one = dynamic_cast<caf::scheduled_actor*>(jobs.front());
      one && !in_.healed && in_.playing.lost_messages > 0)
    lose_some(*one);
  scheduler_.run_once();
}

/// Its next message, perhaps. What an actor tells itself and what CAF does is
/// not lost, and neither is the word of a model.
void sim_node::lose_some(caf::scheduled_actor& of) {
  using actor = caf::scheduled_actor;
  const auto* next = of.mailbox().peek();
  if (!next || next->sender == of.ctrl() || next->is_high_priority()
      || next->content().match_elements<caf::exit_msg>()
      || next->content().match_elements<caf::down_msg>()
      || next->content().match_elements<caf::error>()
      || next->content().match_elements<atom::free, std::int64_t>()
      || !in_.by.chance(in_.playing.lost_messages))
    return;
  const auto gone =
      std::get<actor::normal_queue_index>(of.mailbox().queue().queues())
          .take_front();
  if (!gone)
    return;
  in_.rare("message lost");
  in_.seen.note(in_.now(), "lost", static_cast<std::int64_t>(of.id()));
  in_.seen.say(in_.now(), "  " + name() + " " + of.name() + " loses "
                              + caf::to_string(gone->content()));
  // Whoever asked hears that it has failed.
  auto failed = caf::make_message(away());
  if (gone->mid.is_response())
    of.enqueue(gone->sender, gone->mid, std::move(failed), nullptr);
  else if (gone->mid.is_request() && gone->sender)
    gone->sender->enqueue(of.ctrl(), gone->mid.response_id(), std::move(failed),
                          nullptr);
}

std::optional<nanos> sim_node::next_timer() const {
  const auto& all = scheduler_.clock().schedule();
  if (all.empty())
    return std::nullopt;
  return all.begin()->first.time_since_epoch() - who_.ahead;
}

void sim_node::catch_up() {
  auto& clock = scheduler_.clock();
  if (const auto by = who_.clock(in_.time.now()) - clock.now(); by > 0ns)
    clock.advance_time(by);
}

void sim_node::ingest(const actors::ingest_call_ptr& call) {
  caf::anon_send(ingester_, atom::ingest_v, call);
}

void sim_node::stop() {
  caf::anon_send(root_, atom::stop_v);
}

void sim_node::end_driver() {
  handles one{caf::actor_cast<caf::strong_actor_ptr>(link_->driver)};
  if (!one.front() || !may_fail())
    return;
  in_.rare(network_.on_their_way(*link_) > 0
               ? "a driver ended with work in flight"
               : "a driver ended");
  fail(one);
}

void sim_node::end_breaker() {
  handles one{caf::actor_cast<caf::strong_actor_ptr>(link_->breaker)};
  if (!one.front() || !may_fail())
    return;
  in_.rare("a breaker ended");
  fail(one);
}

void sim_node::end_settler() {
  if (outcomes_.empty() || *stopped_ || !may_fail())
    return;
  in_.rare(running_.partition.outcomes->came()
                   > running_.partition.outcomes->ended()
               ? "a settler ended with something to write"
               : "a settler ended");
  fail(outcomes_);
  again(&sim_node::spawn_outcomes);
}

void sim_node::end_reader() {
  if (delivery_.empty() || *stopped_ || !may_fail())
    return;
  in_.rare("a reader ended, and all that deliver");
  *now_ = {};
  fail(delivery_);
  again(&sim_node::spawn_delivery);
}

void sim_node::fail(handles& all) {
  for (const auto& one : std::exchange(all, {}))
    caf::anon_send_exit(caf::actor_cast<caf::actor>(one),
                        caf::exit_reason::unhandled_exception);
}

void sim_node::again(void (sim_node::*spawn)()) {
  in_.time.in(nanos{in_.by.upto(50'000'000, 400'000'000)},
              [this, spawn, lives = lives_] {
                if (!*lives)
                  return;
                // Those before have to end first.
                if (link_->paused_until > in_.time.now())
                  return again(spawn);
                (this->*spawn)();
              });
}

void sim_node::count_rare_paths() {
  const auto& of = *counters_;
  in_.rare("late row found", of.late);
  in_.rare("handed over", of.handed_over);
  in_.rare("actor restarted", of.restarts);
  in_.rare("deferred", of.deferred);
  in_.rare("a lease was lost", of.meters.lease.lost.value());
  in_.rare("trial", of.meters.health.trials.value());
  in_.rare("asked to pause", of.meters.health.pauses.value());
  in_.rare("no token", of.meters.health.refused_rate.value());
  in_.rare("no room for the tenant", of.meters.health.refused_tenant.value());
  in_.rare("laid on this node", of.meters.health.ours.value());
  for (const auto& one : of.meters.partitions)
    in_.rare("silent attempt", one.duplicates_silent.value());
}

} // namespace postrider::testing
