#pragma once

#include "app/api/faults.hpp"
#include "app/api/json_text.hpp"
#include "core/address.hpp"
#include "core/signature.hpp"
#include "store/catalog.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace postrider::api {

/// What a caller says of a new endpoint.
struct endpoint_draft {
  std::string tenant;
  std::string uid;
  store::endpoint_fields fields;
  std::optional<signing_key> key;
};

/// What a merge patch (RFC 7396) says: `null` is the default again.
struct endpoint_patch {
  store::endpoint_fields fields;
  /// Headers to set, or to take away where nothing stands.
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
};

endpoint_draft read_endpoint(const json_value& body, const address_guard& guard,
                             faults& found);
endpoint_patch read_endpoint_patch(const json_value& body,
                                   const address_guard& guard, faults& found);

/// The headers of an endpoint after a patch.
std::vector<header> merged(std::vector<header> headers,
                           const endpoint_patch& patch);

} // namespace postrider::api
