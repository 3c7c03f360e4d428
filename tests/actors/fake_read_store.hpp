#pragma once

#include "tests/actors/fakes.hpp"
#include "tests/core/read_window_table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace postrider::testing {

/// A database for a reader: the model table, and what happens to its answers.
struct read_world {
  model_table table;
  std::map<std::string, int> asked;
  std::map<std::int64_t, endpoint_ptr> endpoints;
  std::vector<endpoint_ptr> changed;
  actors::notice_list notices;
  std::int64_t version = 0;
  bool away = false;
  /// The next question gets no answer at all.
  bool silent = false;
  /// Contents are answered only when the test says `free`.
  bool hold_contents = false;
  /// Called before each ordinary read.
  std::function<void()> at_read;

  /// One committed row.
  std::int64_t add(std::int64_t endpoint = 1, std::uint16_t partition = 0) {
    const auto by = table.begin();
    auto row = sample_row(0, endpoint);
    row.partition = partition;
    const auto id = table.draw(by, row);
    table.commit(by);
    return id;
  }
};

using fake_read_store_actor =
    actors::read_store_actor::extend<caf::reacts_to<atom::free>>;

struct fake_read_store_state {
  std::vector<std::pair<caf::typed_response_promise<actors::contents>,
                        actors::contents>>
      held;
};

inline store::new_rows rows_of(const read_world& world,
                               const model_table::view& view,
                               std::vector<delivery> rows) {
  store::new_rows out;
  out.seen.xmax = view.xmax;
  out.seen.running = view.running;
  out.seen.next = view.next;
  out.allocated = world.table.allocated();
  out.rows = std::move(rows);
  return out;
}

inline store::due_rows due_of(const model_table::view& view,
                              const actors::due_query& q) {
  store::due_rows out;
  out.now = view.now;
  out.rows = statements::due(view, q.partitions, q.after, q.skip, q.limit);
  out.upto = std::ssize(out.rows) < q.limit || out.rows.empty()
                 ? out.now
                 : out.rows.back().due;
  return out;
}

inline std::vector<delivery> share_of(const model_table::view& view,
                                      const actors::share_query& q) {
  std::vector<read_share> wanted;
  for (const auto& one : q.wanted)
    wanted.push_back(
        {one.partition, one.endpoint, one.after, one.room, one.held});
  return statements::share(view, wanted, q.upto);
}

inline fake_read_store_actor::behavior_type fake_read_store(
    fake_read_store_actor::stateful_pointer<fake_read_store_state> self,
    read_world* world) {
  const auto reply = [=]<class Call>(const char* what, Call call)
      -> caf::result<decltype(call(world->table.look()))> {
    ++world->asked[what];
    if (std::exchange(world->silent, false))
      return self->make_response_promise<decltype(call(world->table.look()))>();
    if (world->away)
      return away();
    return call(world->table.look());
  };
  return {
      [=](atom::peek) {
        return reply("peek",
                     [=](auto view) { return rows_of(*world, view, {}); });
      },
      [=](atom::start, const actors::partition_list& of) {
        return reply("start", [&](auto view) {
          return statements::start_of(view, of, world->table.allocated());
        });
      },
      [=](atom::read, const actors::read_query& q) {
        return reply("read", [&](auto view) {
          if (world->at_read)
            world->at_read();
          return rows_of(*world, view,
                         statements::read(view, q.partitions, q.range, q.skip));
        });
      },
      [=](atom::share, const actors::share_query& q) {
        return reply("share", [&](auto view) { return share_of(view, q); });
      },
      [=](atom::due, const actors::due_query& q) {
        return reply("due", [&](auto view) { return due_of(view, q); });
      },
      [=](atom::sweep, const actors::sweep_query& q) {
        return reply("sweep", [&](auto view) {
          return statements::sweep(view, q.partition, q.after, q.limit);
        });
      },
      [=](atom::clock, const actors::partition_list&) {
        return reply("clock",
                     [=](auto) { return std::exchange(world->notices, {}); });
      },
      [=](atom::content,
          const actors::content_query& q) -> caf::result<actors::contents> {
        ++world->asked["content"];
        if (std::exchange(world->silent, false))
          return self->make_response_promise<actors::contents>();
        if (world->away)
          return away();
        actors::contents out;
        for (const auto& id : q.events) {
          event_content event;
          event.id = id;
          out.events[id] = std::make_shared<const event_content>(event);
        }
        for (const auto id : q.endpoints)
          if (const auto at = world->endpoints.find(id);
              at != world->endpoints.end())
            out.endpoints.push_back(at->second);
        if (!world->hold_contents)
          return out;
        auto promise = self->make_response_promise<actors::contents>();
        self->state.held.emplace_back(promise, out);
        return promise;
      },
      [=](atom::changed, std::int64_t) {
        return reply("changed", [=](auto) {
          return actors::endpoint_changes{std::exchange(world->changed, {}),
                                          world->version};
        });
      },
      [=](atom::free) {
        for (auto& [promise, what] : std::exchange(self->state.held, {}))
          promise.deliver(what);
      },
  };
}

struct driver_record {
  std::vector<std::int64_t> claimed;
  actors::work_list works;
  actors::endpoint_list endpoints;
  std::vector<std::int64_t> gates_set;
  std::vector<std::int64_t> gates_read;
  actors::clock_list clocked;
};

inline driver_ears ears_of(driver_record* seen) {
  driver_ears out;
  out.claimed = [=](const actors::work_list& some) {
    for (const auto& one : some) {
      seen->claimed.push_back(one.row.id);
      seen->works.push_back(one);
    }
  };
  out.endpoints = [=](const actors::endpoint_list& some) {
    seen->endpoints.insert(seen->endpoints.end(), some.begin(), some.end());
  };
  out.gate_set = [=](std::int64_t id) { seen->gates_set.push_back(id); };
  out.gate_read = [=](std::int64_t id) { seen->gates_read.push_back(id); };
  out.clock = [=](const actors::clock_list& some) {
    seen->clocked.insert(seen->clocked.end(), some.begin(), some.end());
  };
  return out;
}

} // namespace postrider::testing
