#include "actors/reader.hpp"
#include "bench/actor_ends.hpp"
#include "bench/actor_stage.hpp"
#include "tests/actors/fakes.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// From the answer of the database to the drivers of 256 partitions and back:
/// 500 rows are new, the reader finds them, asks for what is needed to send
/// them, hands them out, and hears that they have left the window.
void read_and_hand_out(benchmark::State& state) {
  constexpr std::int64_t batch = 500;
  std::int64_t last = 0;
  bench::actor_stage stage;
  actors::reader_options options;
  options.log = testing::no_log();
  options.counters = std::make_shared<actors::counters>();
  const auto reader = stage.keep(actors::spawn_reader(
      stage.system(), options,
      stage.keep(stage.system().spawn(bench::row_source, &last))));
  actors::id_list claimed;
  testing::driver_ears ears;
  ears.claimed = [&](const actors::work_list& some) {
    for (const auto& one : some)
      claimed.push_back(one.row.id);
  };
  actors::owned_list all;
  for (std::uint16_t partition = 0; partition < bench::endpoints; ++partition)
    all.push_back({partition, stage.keep(stage.system().spawn(
                                  testing::listening_driver, ears))});
  stage.tell(reader, atom::own_v, all);
  stage.run();
  std::int64_t read = 0;
  for (auto step : state) {
    last += batch;
    stage.pass(std::chrono::milliseconds{1});
    stage.tell(reader, atom::wake_v);
    stage.run();
    read += std::ssize(claimed);
    stage.tell(reader, atom::left_v, std::exchange(claimed, {}));
    stage.run();
  }
  if (read != last)
    state.SkipWithError("not all was handed out");
  state.SetItemsProcessed(read);
}
BENCHMARK(read_and_hand_out);

} // namespace
} // namespace postrider
