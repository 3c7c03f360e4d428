#include "bench/samples.hpp"
#include "core/read_window.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

constexpr std::int64_t deep = 8;

/// A window with eight rows of each endpoint, and the last id.
std::int64_t fill(read_window& window) {
  std::vector<delivery> rows;
  for (std::int64_t id = 1; id <= deep * bench::endpoints; ++id)
    rows.push_back(bench::row(id));
  const auto last = rows.back().id;
  window.asking();
  window.saw({1, {}, 1}, last);
  while (const auto range = window.next())
    window.take(*range,
                std::span{rows}.subspan(
                    static_cast<std::size_t>(range->after),
                    static_cast<std::size_t>(range->upto - range->after)));
  return last;
}

/// The gates of an endpoint from sick to well: what waits is given back, its
/// trial is read, it is reopened, and read until nothing is held any more.
/// Meanwhile the others keep their rows in the window.
void gates_of_an_incident(benchmark::State& state) {
  read_window window{read_limits{}};
  const auto last = fill(window);
  std::uint64_t transactions = 1;
  const auto look = [&] {
    window.asking();
    ++transactions;
    window.saw({transactions, {}, transactions}, last);
  };
  std::vector<std::int64_t> given_back;
  for (std::int64_t id = 1; id <= last; ++id)
    if (bench::row(id).endpoint == 1)
      given_back.push_back(id);
  const auto partition = bench::row(given_back.front()).partition;
  std::vector<delivery> rows;
  for (auto step : state) {
    window.set_gate(partition, 1, read_gate::hold, given_back);
    window.set_gate(partition, 1, read_gate::trial, {});
    look();
    rows = {bench::row(given_back.front())};
    rows.front().held = true;
    for (const auto& one : window.take_shares(window.next_shares(), rows))
      window.leave(one.id);
    window.set_gate(partition, 1, read_gate::reopen, {});
    std::size_t done = 0;
    for (int rounds = 0; rounds < 8 && done == 0; ++rounds) {
      look();
      const auto asked = window.next_shares();
      rows.clear();
      for (const auto id : given_back)
        if (!asked.empty() && id > asked.front().after
            && std::ssize(rows) < asked.front().limit) {
          rows.push_back(bench::row(id));
          rows.back().held = true;
        }
      for (const auto& one : window.take_shares(asked, rows))
        window.leave(one.id);
      while (const auto late = window.next_late())
        window.take_late(*late, {});
      done = window.gates_done().size();
    }
    if (done != 1) {
      state.SkipWithError("the gate was not read to its end");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(gates_of_an_incident);

/// What each question to the database costs beside: whether a gate was read to
/// its end, while none is.
void ask_for_gates(benchmark::State& state) {
  read_window window{read_limits{}};
  fill(window);
  for (auto step : state)
    benchmark::DoNotOptimize(window.gates_done());
}
BENCHMARK(ask_for_gates);

} // namespace
} // namespace postrider
