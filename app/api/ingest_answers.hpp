#pragma once

#include "app/api/call.hpp"

#include <optional>

namespace postrider::api {

/// Where the key of an event came from: it decides what a conflict is called.
enum class key_source : std::uint8_t { none, id, header };

/// The refusal that the engine's word on one event amounts to; nothing when
/// the event is stored.
std::optional<problem> refusal_of(const ingest_result& result,
                                  key_source source);

/// The refusal of the whole call; nothing when the results are there.
std::optional<problem> refusal_of(const ingest_answer& answer);

/// 201 or 200.
int status_of(const ingest_result& result);

} // namespace postrider::api
