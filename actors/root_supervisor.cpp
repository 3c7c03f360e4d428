#include "actors/root_supervisor.hpp"

#include "actors/ending.hpp"
#include "actors/http_worker.hpp"
#include "actors/keeper.hpp"
#include "actors/listener.hpp"
#include "actors/metered.hpp"
#include "actors/sampler.hpp"
#include "core/restarts.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace postrider::actors {

namespace {

using namespace std::chrono;

struct root_state;
using root_ptr = metered_pointer<root_supervisor_actor, root_state>;

struct root_state {
  static constexpr const char* name = "root_supervisor";

  /// What fails together.
  enum class part {
    service,  ///< producers and the API's questions
    delivery, ///< from the lease to the request
    outcomes, ///< what writes them
  };
  struct child {
    caf::strong_actor_ptr who;
    part of;
  };

  explicit root_state(root_ptr owner) : self{owner} {}
  ~root_state() {
    if (bell)
      bell->interrupt();
    for (const auto& one : children)
      end_actor(one.who);
  }
  root_state(const root_state&) = delete;
  root_state& operator=(const root_state&) = delete;

  // -- starting --------------------------------------------------------------

  /// First the database, then everything that needs it.
  void start() {
    if (stopping)
      return;
    if (node) {
      spawn_outcomes();
      spawn_services();
      return;
    }
    if (!janitor)
      janitor = watch(spawn_janitor(self->system(), options.store));
    self->request(*janitor, seconds{60}, atom::start_v)
        .then([this](bool) { spawn_all(); },
              [this](const caf::error& fault) { wait_for_storage(fault); });
  }

  void wait_for_storage(const caf::error& fault) {
    if (is_broken(fault)) {
      options.give_up(text_of(fault));
      return;
    }
    // The same words are said once, not with every try.
    if (auto why = text_of(fault); why != last_said) {
      options.store.log(level::warn, name, "waiting for the database: " + why);
      last_said = std::move(why);
    }
    self->delayed_send(self, pause, atom::start_v);
    pause = std::min(pause * 2, milliseconds{2'000});
  }

  void spawn_all() {
    if (stopping || node)
      return;
    options.store.log(level::info, name, "the database is ready");
    options.store.counters->migrated = true;
    last_said.clear();
    pause = milliseconds{100};
    auto& system = self->system();
    const auto& store = options.store;
    auto reading = options.reader;
    reading.flights = options.node.partition.flights;
    reading.overtaken = [known = store.database.known](std::uint32_t timeline) {
      return known->overtaken(timeline);
    };
    reader = watch(spawn_reader(system, std::move(reading),
                                watch(spawn_read_store(system, store))));
    outcomes().read_by(*reader);
    spawn_outcomes();
    std::vector<http_worker_actor> workers;
    for (const auto& loop : options.loops)
      workers.push_back(watch(spawn_http_worker(system, loop)));
    node = watch(spawn_node_supervisor(
        system, options.node, watch(spawn_lease_store(system, store)), *reader,
        watch(
            spawn_health_store(system, store, options.node.partition.tenants)),
        std::move(workers)));
    spawn_services();
  }

  outcome_box& outcomes() { return *options.node.partition.outcomes; }

  void spawn_outcomes() {
    if (settler)
      return;
    auto how = options.settler;
    how.box = options.node.partition.outcomes;
    settler = watch(
        spawn_settler(self->system(), std::move(how),
                      watch(spawn_settle_store(self->system(), options.store),
                            part::outcomes)),
        part::outcomes);
  }

  void spawn_services() {
    if (ingester)
      return;
    auto& system = self->system();
    const auto& store = options.store;
    std::vector<ingest_store_actor> stores;
    auto ingest = store;
    ingest.database.statement_timeout = options.ingester.patience;
    spawn_bell();
    for (std::size_t i = 0; i < options.ingest_connections; ++i)
      stores.push_back(
          watch(spawn_ingest_store(system, ingest), part::service));
    ingester =
        watch(spawn_ingester(system, options.ingester, std::move(stores), self),
              part::service);
    for (std::size_t i = 0; i < options.query_connections; ++i)
      queries.push_back(watch(spawn_query_store(system, store), part::service));
    watch(spawn_sampler(system, store, options.sample_every), part::service);
  }

  void spawn_bell() {
    if (!options.notify)
      return;
    bell = std::make_shared<store::listener>(options.store.database);
    watch(spawn_listener(self->system(), options.store, bell, self),
          part::service);
    options.ingester.ring = [bell = bell, known = options.store.counters] {
      if (known->others > 0)
        bell->ring();
    };
  }

  template <class Handle>
  Handle watch(Handle one, part of = part::delivery) {
    self->monitor(one);
    children.push_back({caf::actor_cast<caf::strong_actor_ptr>(one), of});
    return one;
  }

  // -- failing ---------------------------------------------------------------

  void down(const caf::down_msg& what) {
    const auto place =
        std::find_if(children.begin(), children.end(),
                     [&](const auto& one) { return one.who == what.source; });
    if (place == children.end())
      return;
    const auto of = place->of;
    children.erase(place);
    ++options.node.partition.counters->restarts;
    options.store.log(level::error, name,
                      "an actor failed (" + caf::to_string(what.reason)
                          + ") and is started anew");
    const auto wait = failures.failed(self->clock().now());
    if (!wait) {
      end_all();
      options.give_up("actors failed too often");
      return;
    }
    end_part(of);
    self->delayed_send(self, *wait, atom::start_v);
  }

  /// What is in flight and what is not written yet stay where their successors
  /// find them: neither is sent again because an actor has failed (G6).
  void end_part(part of) {
    if (of == part::service) {
      ingester.reset();
      if (bell)
        bell->interrupt();
      queries.clear();
    } else if (of == part::outcomes) {
      settler.reset();
    } else {
      node.reset();
      reader.reset();
      janitor.reset();
    }
    std::erase_if(children, [&](const child& one) {
      if (one.of != of)
        return false;
      end(one);
      return true;
    });
  }

  void end_all() {
    for (const auto of : {part::service, part::delivery, part::outcomes})
      end_part(of);
  }

  void end(const child& one) {
    if (!one.who)
      return;
    self->demonitor(one.who->address());
    end_actor(one.who);
  }

  // -- forwarding ------------------------------------------------------------

  void ingest(const ingest_call_ptr& call) {
    if (stopping)
      call->finish(ingest_call::verdict::draining, {});
    else if (!ingester)
      call->finish(ingest_call::verdict::unavailable, {});
    else
      self->send(*ingester, atom::ingest_v, call);
  }

  void query(const query_call_ptr& call) {
    if (queries.empty())
      call->fail({store::error::kind::transient, "the database is away"});
    else
      self->send(queries[next_query++ % queries.size()], atom::query_v, call);
  }

  /// For those that run and for those that will be started.
  void apply(const live_options_ptr& fresh) {
    apply_live(*fresh, options);
    const auto tell = [&](const auto& whom) {
      if (whom)
        self->send(*whom, atom::apply_v, fresh);
    };
    tell(reader);
    tell(settler);
    tell(ingester);
    tell(node);
  }

  // -- stopping --------------------------------------------------------------

  caf::result<bool> stop() {
    auto promise = self->make_response_promise<bool>();
    stopping = true;
    if (!node) {
      flush(promise);
      return promise;
    }
    self->request(*node, options.node.stop_within + seconds{15}, atom::stop_v)
        .then(
            [this, promise](bool clean) mutable {
              // Unclean: time is up, and what could be written has been.
              if (clean)
                return flush(promise);
              end_all();
              promise.deliver(false);
            },
            [this, promise](const caf::error&) mutable {
              end_all();
              promise.deliver(false);
            });
    return promise;
  }

  void flush(caf::typed_response_promise<bool> promise) {
    if (!settler) {
      end_all();
      promise.deliver(true);
      return;
    }
    self->request(*settler, seconds{10}, atom::flush_v)
        .then(
            [this, promise](bool) mutable {
              end_all();
              promise.deliver(true);
            },
            [this, promise](const caf::error&) mutable {
              end_all();
              promise.deliver(false);
            });
  }

  root_ptr self;
  root_options options;
  std::vector<child> children;
  std::optional<janitor_actor> janitor;
  std::optional<reader_actor> reader;
  std::optional<settler_actor> settler;
  std::optional<ingester_actor> ingester;
  std::optional<node_supervisor_actor> node;
  std::shared_ptr<store::listener> bell;
  std::vector<query_store_actor> queries;
  std::size_t next_query = 0;
  restarts failures;
  milliseconds pause{100};
  std::string last_said;
  bool stopping = false;
};

root_supervisor_actor::behavior_type root_supervisor(root_ptr self,
                                                     root_options options) {
  auto& st = self->state;
  st.options = std::move(options);
  self->set_down_handler([&st](caf::down_msg& what) { st.down(what); });
  self->send(self, atom::start_v);
  return {
      [&st](atom::stop) { return st.stop(); },
      [&st](atom::wake) {
        if (st.reader)
          st.self->send(*st.reader, atom::wake_v);
      },
      [&st](atom::fresh, const fresh_ptr& what) {
        if (st.reader)
          st.self->send(*st.reader, atom::fresh_v, what);
      },
      [&st](atom::changed) {
        if (st.reader)
          st.self->send(*st.reader, atom::changed_v);
      },
      [&st](atom::ingest, const ingest_call_ptr& call) { st.ingest(call); },
      [&st](atom::query, const query_call_ptr& call) { st.query(call); },
      [&st](atom::apply, const live_options_ptr& fresh) { st.apply(fresh); },
      [&st](atom::start) { st.start(); },
  };
}

} // namespace

root_supervisor_actor spawn_root_supervisor(caf::actor_system& system,
                                            root_options options) {
  auto give_up = options.give_up;
  auto out = system.spawn(root_supervisor, std::move(options));
  // Nobody starts this one again.
  caf::actor_cast<caf::strong_actor_ptr>(out)->get()->attach_functor(
      [give_up](const caf::error& why) {
        if (why == caf::exit_reason::unhandled_exception
            || why == caf::sec::runtime_error)
          give_up("the supervisor of all actors has failed");
      });
  return out;
}

} // namespace postrider::actors
