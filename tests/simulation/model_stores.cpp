#include "tests/simulation/model_stores.hpp"

#include "tests/actors/fakes.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <optional>

namespace postrider::testing {

namespace {

struct link_state {
  std::shared_ptr<store_link> link;
};

/// The interface of a store actor, and the message that an answer is there.
template <class Store>
using linked =
    typename Store::template extend<caf::reacts_to<atom::free, std::int64_t>>;
template <class Store>
using linked_ptr =
    typename linked<Store>::template stateful_pointer<link_state>;

template <class Store>
void connect(linked_ptr<Store> self, const store_site& at) {
  auto link = std::make_shared<store_link>(*at.in, *at.database, at.link);
  at.link->links.push_back(link);
  link->wake = [me = caf::actor_addr{self->address()}](std::int64_t ticket) {
    if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(me))
      caf::anon_send(caf::actor_cast<linked<Store>>(to), atom::free_v, ticket);
  };
  self->state.link = std::move(link);
}

/// A question whose answer is what the statement returns.
template <class Self, class Call>
auto ask(Self* self, const char* what, Call statement) {
  using answer = decltype(statement());
  auto promise = self->template make_response_promise<answer>();
  auto got = std::make_shared<std::optional<answer>>();
  self->state.link->ask(
      what,
      [got, statement] {
        *got = statement();
        return true;
      },
      [got, promise](bool came) mutable {
        if (came)
          promise.deliver(std::move(**got));
        else
          promise.deliver(away());
      });
  return caf::result<answer>{promise};
}

linked<actors::lease_store_actor>::behavior_type
leases(linked_ptr<actors::lease_store_actor> self, store_site at) {
  connect<actors::lease_store_actor>(self, at);
  auto* to = at.database;
  return {
      [=](atom::beat, store::standing how) {
        return ask(self, "beat", [=] { return to->beat(at.who, how); });
      },
      [=](atom::acquire, int count) {
        return ask(self, "acquire", [=] { return to->acquire(at.who, count); });
      },
      [=](atom::release, const actors::lease_list& given) {
        return ask(self, "release", [=] { return to->release(at.who, given); });
      },
      [=](atom::leave) {
        return ask(self, "leave", [=] { return to->leave(at.who); });
      },
      [=](atom::mark, const store::lease& under, std::int64_t delivery) {
        return ask(self, "mark",
                   [=] { return to->mark(at.who, under, delivery); });
      },
      [=](atom::sweep) {
        return ask(self, "sweep leases", [=] { return to->sweep(at.who); });
      },
      [=](atom::free, std::int64_t ticket) {
        self->state.link->answer(ticket);
      },
  };
}

linked<actors::read_store_actor>::behavior_type
reads(linked_ptr<actors::read_store_actor> self, store_site at) {
  connect<actors::read_store_actor>(self, at);
  auto* to = at.database;
  return {
      [=](atom::peek) { return ask(self, "peek", [=] { return to->peek(); }); },
      [=](atom::start, const actors::partition_list& of) {
        return ask(self, "start", [=] { return to->start_of(of); });
      },
      [=](atom::read, const actors::read_query& q) {
        return ask(self, "read", [=] { return to->read(q); });
      },
      [=](atom::share, const actors::share_query& q) {
        return ask(self, "share", [=] { return to->share(q); });
      },
      [=](atom::due, const actors::due_query& q) {
        return ask(self, "due", [=] { return to->due(q); });
      },
      [=](atom::sweep, const actors::sweep_query& q) {
        return ask(self, "sweep", [=] { return to->sweep(q); });
      },
      [=](atom::clock, const actors::partition_list& of) {
        return ask(self, "clock", [=] { return to->health_due(of); });
      },
      [=](atom::content, const actors::content_query& q) {
        return ask(self, "content", [=] { return to->content(at.who, q); });
      },
      [=](atom::changed, std::int64_t version) {
        return ask(self, "changed",
                   [=] { return to->changes(at.who, version); });
      },
      [=](atom::free, std::int64_t ticket) {
        self->state.link->answer(ticket);
      },
  };
}

linked<actors::settle_store_actor>::behavior_type
outcomes(linked_ptr<actors::settle_store_actor> self, store_site at) {
  connect<actors::settle_store_actor>(self, at);
  auto* to = at.database;
  return {
      [=](atom::settle, const actors::settlement_list& some) {
        return ask(self, "settle", [=] { return to->settle(at.who, some); });
      },
      [=](atom::free, std::int64_t ticket) {
        self->state.link->answer(ticket);
      },
  };
}

linked<actors::health_store_actor>::behavior_type
health_keeper(linked_ptr<actors::health_store_actor> self, store_site at) {
  connect<actors::health_store_actor>(self, at);
  auto* to = at.database;
  const auto hear = [=] {
    at.link->breaker = caf::actor_cast<caf::actor_addr>(self->current_sender());
  };
  return {
      [=](atom::move, const store::health_move& what) {
        hear();
        return ask(self, "move", [=] { return to->move(at.who, what); });
      },
      [=](atom::hold, const actors::chunk_query& q) {
        hear();
        return ask(self, "hold", [=] { return to->hold(at.who, q); });
      },
      [=](atom::cancel, const actors::chunk_query& q) {
        hear();
        return ask(self, "cancel", [=] { return to->cancel(at.who, q); });
      },
      [](atom::tick) {},
      [](atom::again) {},
      [=](atom::free, std::int64_t ticket) {
        self->state.link->answer(ticket);
      },
  };
}

/// The events of a batch on their way through one transaction.
struct batch {
  std::vector<new_event> events;
  std::optional<std::uint64_t> by;
  std::vector<ingest_result> results;
  actors::fresh_batch fresh;
};

model_database::published event_of(const new_event& from, uuid id) {
  model_database::published out{id,           from.tenant,       from.key,
                                from.payload, from.ordering_key, {}};
  // The type says who wants it, as subscriptions would.
  for (const char c : from.type)
    out.to.push_back(c - '0');
  return out;
}

bool store(world& in, model_database& to, batch& what) {
  for (const auto& one : what.events)
    if (!to.key_is_free(one.key))
      return false; // waits for the other transaction's end
  const auto by = to.begin();
  for (const auto& one : what.events) {
    const auto id = in.some_id();
    const auto stored = to.publish(by, event_of(one, id));
    what.results.push_back({stored == id ? ingest_result::status::accepted
                                         : ingest_result::status::duplicate,
                            stored, 1});
  }
  what.fresh.made = to.made(by);
  to.commit(by);
  return true;
}

linked<actors::ingest_store_actor>::behavior_type
ingest(linked_ptr<actors::ingest_store_actor> self, store_site at) {
  connect<actors::ingest_store_actor>(self, at);
  return {
      [=](atom::ingest, const actors::ingest_batch& calls) {
        auto promise = self->make_response_promise<actors::fresh_ptr>();
        auto all = std::make_shared<batch>();
        for (const auto& call : calls)
          for (auto& one : call->take())
            all->events.push_back(std::move(one));
        self->state.link->ask(
            "ingest", [=] { return store(*at.in, *at.database, *all); },
            [=](bool came) mutable {
              if (!came) {
                promise.deliver(away());
                return;
              }
              auto from = all->results.begin();
              for (const auto& call : calls) {
                const auto upto =
                    from + static_cast<std::ptrdiff_t>(call->count());
                call->finish(actors::ingest_call::verdict::stored,
                             {from, upto});
                from = upto;
              }
              promise.deliver(
                  std::make_shared<const actors::fresh_batch>(all->fresh));
            });
        return caf::result<actors::fresh_ptr>{promise};
      },
      [=](atom::free, std::int64_t ticket) {
        self->state.link->answer(ticket);
      },
  };
}

} // namespace

actors::lease_store_actor spawn_model_leases(caf::actor_system& system,
                                             store_site at) {
  return system.spawn(leases, std::move(at));
}

actors::read_store_actor spawn_model_reads(caf::actor_system& system,
                                           store_site at) {
  return system.spawn(reads, std::move(at));
}

actors::settle_store_actor spawn_model_outcomes(caf::actor_system& system,
                                                store_site at) {
  return system.spawn(outcomes, std::move(at));
}

actors::health_store_actor spawn_model_health(caf::actor_system& system,
                                              store_site at) {
  return system.spawn(health_keeper, std::move(at));
}

actors::ingest_store_actor spawn_model_ingest(caf::actor_system& system,
                                              store_site at) {
  return system.spawn(ingest, std::move(at));
}

} // namespace postrider::testing
