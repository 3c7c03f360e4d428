#pragma once

#include "app/api/json_writer.hpp"
#include "store/catalog.hpp"

#include <string_view>

namespace postrider::api {

/// Each appends one object, as the API shows it.
void write_endpoint(json_writer& out, const store::endpoint_row& row,
                    std::string_view secret = {});
/// The members alone, into an object that was begun.
void write_health_members(json_writer& out, const store::health_view& row);
void write_event(json_writer& out, const store::event_row& row);
void write_delivery(json_writer& out, const store::delivery_row& row);
void write_dead_letter(json_writer& out, const store::delivery_row& row);
void write_attempt(json_writer& out, const store::attempt_row& row);
void write_tenant(json_writer& out, const store::tenant_row& row);
void write_node(json_writer& out, const store::node_row& row);

/// Closes a page that was opened with `begin_page`. `next` is the key of the
/// list's cursor; empty: this is the last page.
void begin_page(json_writer& out);
void end_page(json_writer& out, std::string_view list, std::string_view next);

} // namespace postrider::api
