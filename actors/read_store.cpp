#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace postrider::actors {

namespace {

// The others come with the next question.
constexpr int most_notices = 1'000;

struct read_store_state {
  static constexpr const char* name = "read_store";

  explicit read_store_state(
      metered_pointer<read_store_actor, read_store_state>) {}

  template <class T, class Call>
  caf::result<T> run(store_query what, Call call) {
    return watch.run<T>(what, std::move(call));
  }

  contents content(const content_query& asked) {
    contents out;
    out.events = reader->events(asked.events);
    if (!asked.endpoints.empty())
      out.endpoints = reader->endpoints(asked.endpoints);
    return out;
  }

  endpoint_changes changes(std::int64_t version) {
    if (version < 0)
      return {{}, reader->endpoint_version()};
    endpoint_changes out{reader->endpoints_since(version, 1'000), version};
    for (const auto& one : out.changed)
      out.version = std::max(out.version, one->version);
    return out;
  }

  store_watch watch;
  std::unique_ptr<store::reader> reader;
};

read_store_actor::behavior_type
read_store(metered_pointer<read_store_actor, read_store_state> self,
           store_options options) {
  auto& st = self->state;
  st.reader = std::make_unique<store::reader>(options.database);
  st.reader->use_secret_key(options.secret_key);
  st.watch = {read_store_state::name, options.log, options.counters};
  return {
      [&st](atom::peek) {
        return st.run<store::new_rows>(store_query::peek,
                                       [&] { return st.reader->peek(); });
      },
      [&st](atom::start, const partition_list& of) {
        return st.run<std::int64_t>(store_query::claim,
                                    [&] { return st.reader->start_of(of); });
      },
      [&st](atom::read, const read_query& q) {
        return st.run<store::new_rows>(store_query::claim, [&] {
          return st.reader->read(q.partitions, q.range.after, q.range.upto,
                                 q.skip, q.range.limit);
        });
      },
      [&st](atom::share, const share_query& q) {
        return st.run<delivery_list>(store_query::claim, [&] {
          return st.reader->read_lagging(q.wanted, q.upto);
        });
      },
      [&st](atom::due, const due_query& q) {
        return st.run<store::due_rows>(store_query::claim, [&] {
          return st.reader->read_due(q.partitions, q.after, q.skip, q.limit);
        });
      },
      [&st](atom::sweep, const sweep_query& q) {
        return st.run<delivery_list>(store_query::claim, [&] {
          return st.reader->sweep(q.partition, q.after, q.limit);
        });
      },
      [&st](atom::clock, const partition_list& of) {
        return st.run<notice_list>(store_query::claim, [&] {
          return st.reader->health_due(of, most_notices);
        });
      },
      [&st](atom::content, const content_query& q) {
        return st.run<contents>(store_query::content,
                                [&] { return st.content(q); });
      },
      [&st](atom::changed, std::int64_t version) {
        return st.run<endpoint_changes>(store_query::content,
                                        [&] { return st.changes(version); });
      },
  };
}

} // namespace

read_store_actor spawn_read_store(caf::actor_system& system,
                                  store_options options) {
  return system.spawn<caf::detached>(read_store, std::move(options));
}

} // namespace postrider::actors
