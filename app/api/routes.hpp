#pragma once

#include "app/api/call.hpp"

#include <span>
#include <string_view>

namespace postrider::api {

/// One entry of the table: `{id}` in the path stands for one segment.
struct route {
  std::string_view method;
  std::string_view path;
  void (*handle)(call_ptr);
};

/// The whole table.
std::span<const route> routes();

/// Finds the route of a call and runs it, or answers 404, or 405 with Allow.
void dispatch(call_ptr request);

void post_event(call_ptr request);
void post_batch(call_ptr request);
void get_events(call_ptr request);
void get_event(call_ptr request);
void get_payload(call_ptr request);

void post_endpoint(call_ptr request);
void get_endpoints(call_ptr request);
void get_endpoint(call_ptr request);
void patch_endpoint(call_ptr request);
void delete_endpoint(call_ptr request);

void get_endpoint_health(call_ptr request);
void pause_endpoint(call_ptr request);
void resume_endpoint(call_ptr request);
void disable_endpoint(call_ptr request);
void enable_endpoint(call_ptr request);

void get_deliveries(call_ptr request);
void get_delivery(call_ptr request);
void get_attempts_of(call_ptr request);
void retry_delivery(call_ptr request);

void get_config(call_ptr request);
void check_config(call_ptr request);
void reload_config(call_ptr request);

void get_attempts(call_ptr request);
void get_attempt(call_ptr request);

void get_dead_letters(call_ptr request);
void get_dead_letter_summary(call_ptr request);
void retry_dead_letters(call_ptr request);
void purge_dead_letters(call_ptr request);

void get_nodes(call_ptr request);
void drain_node(call_ptr request);
void undrain_node(call_ptr request);

void get_tenants(call_ptr request);
void delete_tenant(call_ptr request);
void put_tenant(call_ptr request);
void patch_tenant(call_ptr request);
void get_tenant(call_ptr request);

} // namespace postrider::api
