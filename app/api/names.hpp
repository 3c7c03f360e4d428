#pragma once

#include <string_view>

namespace postrider::api {

/// What callers may use as an id: `[A-Za-z0-9_-]{1,128}`. No dot, because the
/// signed text is joined with dots.
bool is_id(std::string_view text);

/// An idempotency key from the header: 1 to 255 visible ASCII characters.
bool is_key(std::string_view text);

/// An event type: groups of `[A-Za-z0-9_]` joined by single dots, at most 255
/// bytes.
bool is_event_type(std::string_view text);

/// What an endpoint may subscribe to: an event type, one that ends in `.*`, or
/// `*`.
bool is_type_pattern(std::string_view text);

/// A media type with optional parameters, visible ASCII and spaces.
bool is_media_type(std::string_view text);

/// A W3C `traceparent` of version 00.
bool is_traceparent(std::string_view text);

} // namespace postrider::api
