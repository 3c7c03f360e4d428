#pragma once

#include "app/api_client.hpp"
#include "app/receiver.hpp"

#include <string>
#include <vector>

namespace postrider::app {

struct demo_endpoint {
  std::string path; ///< at the receiver, and its `uid`
  /// First attempts go out in order in each ordering key; else freely.
  bool ordered = false;
};

/// The endpoints of the demonstration, in the order of the summary.
const std::vector<demo_endpoint>& demo_endpoints();

/// Makes the tenant and, through the API, its endpoints, in place of those of
/// an earlier run, and tells the receiver their secrets. Throws
/// `std::runtime_error`.
void set_up_demo(const std::string& database, api_client& api, receiver& into);

} // namespace postrider::app
