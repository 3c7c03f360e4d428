#pragma once

#include "app/api/faults.hpp"
#include "app/api/json_text.hpp"
#include "core/model.hpp"

#include <cstddef>
#include <string>

namespace postrider::api {

/// Reads an event out of an API body; what is wrong goes to `found`, with
/// pointers relative to the event. The payload is the exact bytes of the
/// `payload` member, or what `payload_base64` decodes to. `key` is the `id`
/// member; the fingerprint is left to the caller.
new_event read_event(const json_value& body, std::size_t max_payload,
                     faults& found);

/// SHA-256 of what makes two requests with one key the same request: type,
/// kind, payload, content type, ordering key and headers.
std::string fingerprint_of(const new_event& event);

} // namespace postrider::api
