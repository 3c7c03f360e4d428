#include "net/server/target.hpp"

#include <algorithm>

namespace postrider::net::server {

namespace {

constexpr std::size_t max_method = 32;
constexpr std::size_t max_target = 8192;

} // namespace

std::optional<framing_fault> judge_request_line(std::string_view method,
                                                std::string_view target) {
  auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (method.size() > max_method || !std::ranges::all_of(method, is_upper))
    return framing_fault{400, "the method must be 1 to 32 capital letters"};
  if (target.size() > max_target)
    return framing_fault{414, "the request target is longer than 8192 bytes"};
  if (!target.starts_with('/'))
    return framing_fault{400, "the request target must start with a slash"};
  auto visible = [](char c) { return c > 0x20 && c < 0x7f && c != '#'; };
  if (!std::ranges::all_of(target, visible))
    return framing_fault{400, "the request target holds a byte that must be "
                              "percent-encoded"};
  return {};
}

} // namespace postrider::net::server
