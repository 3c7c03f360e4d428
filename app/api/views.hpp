#pragma once

#include "app/api/json_writer.hpp"
#include "store/catalog.hpp"

#include <string_view>

namespace postrider::api {

/// Each appends one object, as the API shows it.
void write_endpoint(json_writer& out, const store::endpoint_row& row,
                    std::string_view secret = {});
void write_event(json_writer& out, const store::event_row& row);
void write_delivery(json_writer& out, const store::delivery_row& row);
void write_attempt(json_writer& out, const delivery_ref& delivery,
                   const store::attempt_row& row);
void write_tenant(json_writer& out, const store::tenant_row& row);

/// Closes a page that was opened with `begin_page`. `next` 0: the last one.
void begin_page(json_writer& out);
void end_page(json_writer& out, std::string_view list, std::int64_t next);

} // namespace postrider::api
