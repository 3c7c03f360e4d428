#pragma once

#include "app/metrics/page.hpp"
#include "app/metrics/sources.hpp"

namespace postrider::app::metrics {

// Each adds what one part of a node tells of itself.

void add_node(page& to, const sources& from);
void add_api(page& to, const sources& from);
void add_ingest(page& to, const sources& from);
void add_deliveries(page& to, const sources& from);
void add_attempts(page& to, const sources& from);
void add_backlog(page& to, const sources& from);
void add_health(page& to, const sources& from);
void add_client(page& to, const sources& from);
void add_leases(page& to, const sources& from);
void add_retention(page& to, const sources& from);
void add_store(page& to, const sources& from);
void add_actors(page& to, const sources& from);
void add_loops(page& to, const sources& from);
/// `process_*`, from /proc/self.
void add_process(page& to);

} // namespace postrider::app::metrics
