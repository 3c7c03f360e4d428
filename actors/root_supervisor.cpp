#include "actors/root_supervisor.hpp"

#include "actors/ending.hpp"
#include "actors/http_worker.hpp"
#include "actors/keeper.hpp"
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

  explicit root_state(root_ptr owner) : self{owner} {}
  ~root_state() {
    for (const auto& child : children)
      end_actor(child);
  }
  root_state(const root_state&) = delete;
  root_state& operator=(const root_state&) = delete;

  // -- starting --------------------------------------------------------------

  /// First the database, then everything that needs it.
  void start() {
    if (stopping)
      return;
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
    reader = watch(spawn_reader(system, options.reader,
                                watch(spawn_read_store(system, store))));
    settler =
        watch(spawn_settler(system, options.settler,
                            watch(spawn_settle_store(system, store)), *reader));
    std::vector<ingest_store_actor> ingest_stores;
    for (std::size_t i = 0; i < options.ingest_connections; ++i)
      ingest_stores.push_back(watch(spawn_ingest_store(system, store)));
    ingester = watch(spawn_ingester(system, options.ingester,
                                    std::move(ingest_stores), self));
    for (std::size_t i = 0; i < options.query_connections; ++i)
      queries.push_back(watch(spawn_query_store(system, store)));
    watch(spawn_sampler(system, store, options.sample_every));
    std::vector<http_worker_actor> workers;
    for (const auto& loop : options.loops)
      workers.push_back(watch(spawn_http_worker(system, loop)));
    node = watch(spawn_node_supervisor(system, options.node,
                                       watch(spawn_lease_store(system, store)),
                                       *reader, *settler, std::move(workers)));
  }

  template <class Handle>
  Handle watch(Handle child) {
    self->monitor(child);
    children.push_back(caf::actor_cast<caf::strong_actor_ptr>(child));
    return child;
  }

  // -- failing ---------------------------------------------------------------

  void down(const caf::down_msg& what) {
    const auto place =
        std::find_if(children.begin(), children.end(),
                     [&](const auto& child) { return child == what.source; });
    if (place == children.end())
      return;
    ++options.node.partition.counters->restarts;
    options.store.log(level::error, name,
                      "an actor failed (" + caf::to_string(what.reason)
                          + "); all are started anew");
    end_all();
    const auto wait = failures.failed(self->clock().now());
    if (!wait) {
      options.give_up("actors failed too often");
      return;
    }
    self->delayed_send(self, *wait, atom::start_v);
  }

  void end_all() {
    node.reset();
    reader.reset();
    settler.reset();
    ingester.reset();
    janitor.reset();
    queries.clear();
    for (const auto& child : std::exchange(children, {}))
      if (child) {
        self->demonitor(child->address());
        end_actor(child);
      }
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
      call->failed({store::error::kind::transient, "the database is away"});
    else
      self->send(queries[next_query++ % queries.size()], atom::query_v, call);
  }

  // -- stopping --------------------------------------------------------------

  caf::result<bool> stop() {
    auto promise = self->make_response_promise<bool>();
    stopping = true;
    if (!node) {
      end_all();
      promise.deliver(true);
      return promise;
    }
    self->request(*node, options.node.stop_within + seconds{15}, atom::stop_v)
        .then(
            [this, promise](bool clean) mutable {
              // Unclean: time is up, and what could be written has been.
              if (clean && settler)
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
  std::vector<caf::strong_actor_ptr> children;
  std::optional<janitor_actor> janitor;
  std::optional<reader_actor> reader;
  std::optional<settler_actor> settler;
  std::optional<ingester_actor> ingester;
  std::optional<node_supervisor_actor> node;
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
      [&st](atom::changed) {
        if (st.reader)
          st.self->send(*st.reader, atom::changed_v);
      },
      [&st](atom::ingest, const ingest_call_ptr& call) { st.ingest(call); },
      [&st](atom::query, const query_call_ptr& call) { st.query(call); },
      [&st](atom::start) { st.start(); },
  };
}

} // namespace

root_supervisor_actor spawn_root_supervisor(caf::actor_system& system,
                                            root_options options) {
  return system.spawn(root_supervisor, std::move(options));
}

} // namespace postrider::actors
