#pragma once

#include "actors/partition.hpp"

#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fakes.hpp"

#include <string>

namespace postrider::testing {

/// The driver of a partition between a worker, a settler, a reader and a
/// database that write down what they are told; its breakers are real.
class partition_fixture : public actor_fixture {
protected:
  using id_list = actors::id_list;

  partition_fixture() { renew(std::chrono::hours{1}); }

  actors::partition_options options() {
    actors::partition_options out;
    out.lease = {7, 3};
    out.around = {[] {
                    return std::chrono::sys_seconds{
                        std::chrono::seconds{1'000'000}};
                  },
                  [] { return 0.5; }};
    out.log = no_log();
    out.counters = counters_;
    out.outcomes = record_.box;
    out.flights = flights_;
    return out;
  }

  void renew(std::chrono::milliseconds by) {
    tell(partition_, atom::renew_v, now() + by);
  }

  actors::work work_of(delivery row) {
    return {row, sample_event(row.id), endpoint_, now()};
  }

  void claim(std::vector<delivery> rows) {
    actors::work_list out;
    for (const auto& row : rows)
      out.push_back(work_of(row));
    tell(partition_, atom::claimed_v, out);
  }

  /// The deliveries whose requests went out, in their order.
  id_list sent() const {
    id_list out;
    const std::string name = "X-Postrider-Sequence: ";
    for (const auto& job : jobs_) {
      const std::string text{job.request.headers.text()};
      out.push_back(std::stoll(text.substr(text.find(name) + name.size())));
    }
    return out;
  }

  void answer(std::size_t job, attempt_result how) {
    jobs_.at(job).reply_to->deliver(std::move(how));
    settle();
  }

  id_list settled() const {
    id_list out;
    for (const auto& one : record_.settled)
      out.push_back(one.delivery);
    return out;
  }

  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
  endpoint_ptr endpoint_ = sample_endpoint(1);
  actors::http_job_list jobs_;
  settler_record record_;
  std::shared_ptr<actors::flight_board> flights_ =
      std::make_shared<actors::flight_board>();
  supervisor_record node_;
  reader_record read_;
  health_world sick_;
  actors::http_worker_actor worker_ = keep(system.spawn(fake_worker, &jobs_));
  fake_settler_actor settler_ = keep(system.spawn(fake_settler, &record_));
  actors::node_supervisor_actor supervisor_ =
      keep(system.spawn(fake_supervisor, &node_));
  actors::reader_actor reader_ = keep(system.spawn(fake_reader, &read_));
  actors::health_store_actor health_ =
      keep(system.spawn(fake_health_store, &sick_));
  mark_record marked_;
  actors::lease_store_actor leases_ =
      keep(system.spawn(fake_lease_store, &marked_));
  actors::partition_actor partition_ = keep(actors::spawn_partition(
      system, options(),
      actors::partition_peers{worker_, reader_, supervisor_, health_,
                              leases_}));
};

} // namespace postrider::testing
