#include "actors/live_options.hpp"

#include "actors/ingester.hpp"
#include "actors/node_supervisor.hpp"
#include "actors/partition.hpp"
#include "actors/reader.hpp"
#include "actors/root_supervisor.hpp"
#include "actors/settler.hpp"

// What each actor takes of the options that may change while it runs.

namespace postrider::actors {

void apply_live(const live_options& from, reader_options& to) {
  to.window = from.window;
  to.poll_min = from.poll_min;
  to.poll_max = from.poll_max;
}

void apply_live(const live_options& from, partition_options& to) {
  to.wire = from.wire;
  to.retry_after_max = from.retry_after_max;
  to.connect_timeout = from.connect_timeout;
  to.timeout = from.timeout;
  to.health = from.health;
  to.tenants->configure({from.tenant_max_in_flight, from.tenant_rate});
}

void apply_live(const live_options& from, node_options& to) {
  // Past the moment at which what is in flight is cut off.
  to.stop_within = from.stop_within + std::chrono::seconds{1};
  apply_live(from, to.partition);
}

void apply_live(const live_options& from, settler_options& to) {
  to.most = from.settle_max;
  to.delay = from.settle_delay;
}

void apply_live(const live_options& from, ingester_options& to) {
  to.most = from.ingest_batch;
}

void apply_live(const live_options& from, root_options& to) {
  apply_live(from, to.reader);
  apply_live(from, to.settler);
  apply_live(from, to.ingester);
  apply_live(from, to.node);
}

} // namespace postrider::actors
