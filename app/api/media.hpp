#pragma once

#include "app/api/call.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace postrider::api {

/// The media type of the request's body in lower case, without parameters;
/// `application/json` when the header is absent.
std::string media_type_of(const call& request);

/// 415 unless the body is of one of these types and in UTF-8.
std::optional<problem>
refuse_media_type(const call& request,
                  std::initializer_list<std::string_view> known);

/// 406 when the caller accepts neither JSON nor anything.
std::optional<problem> refuse_accept(const call& request);

} // namespace postrider::api
