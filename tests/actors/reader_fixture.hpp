#pragma once

#include "actors/reader.hpp"

#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fake_read_store.hpp"

namespace postrider::testing {

/// A reader between drivers that write down what they are told, and a database.
class reader_fixture : public actor_fixture {
protected:
  reader_fixture() {
    for (std::int64_t id = 1; id <= 9; ++id)
      world_.endpoints[id] = sample_endpoint(id);
  }

  actors::reader_options options() {
    actors::reader_options out;
    out.window = {20, 10'000, 4};
    out.flights = flights_;
    out.log = no_log();
    out.counters = counters_;
    return out;
  }

  using id_list = std::vector<std::int64_t>;

  struct driver {
    driver_record seen;
    actors::partition_actor actor;
  };

  /// A driver for the partition, new if there was one.
  driver& drive(std::uint16_t partition) {
    auto& one = drivers_.emplace_back(std::make_unique<driver>());
    one->actor = keep(system.spawn(listening_driver, ears_of(&one->seen)));
    owned_[partition] = one.get();
    return *one;
  }

  void own() {
    actors::owned_list all;
    for (const auto& [partition, one] : owned_)
      all.push_back({partition, one->actor});
    tell(reader_, atom::own_v, all);
  }

  /// A delivery is settled: gone from the table, then from the window.
  void finish(std::int64_t id) {
    world_.table.remove(id);
    tell(reader_, atom::left_v, actors::id_list{id});
  }

  std::shared_ptr<actors::flight_board> flights_ =
      std::make_shared<actors::flight_board>();
  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
  read_world world_;
  fake_read_store_actor store_ = keep(system.spawn(fake_read_store, &world_));
  actors::reader_actor reader_ =
      keep(actors::spawn_reader(system, options(), store_));
  std::vector<std::unique_ptr<driver>> drivers_;
  std::map<std::uint16_t, driver*> owned_;
};

} // namespace postrider::testing
