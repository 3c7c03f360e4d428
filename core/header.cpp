#include "core/header.hpp"

#include "core/header_names.hpp"

#include <algorithm>
#include <array>

namespace postrider {

namespace {

constexpr std::size_t max_name = 128;
constexpr std::size_t max_value = 4096;

// What frames the request or identifies us; a customer's field would break
// the connection or lie to the receiver.
constexpr std::array<std::string_view, 14> ours{
    "connection", "content-length", "content-type", "expect",
    "host",       "http2-settings", "keep-alive",   "proxy-connection",
    "te",         "traceparent",    "trailer",      "transfer-encoding",
    "upgrade",    "user-agent",
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z')
         || (c != '\0'
             && std::string_view{"!#$%&'*+-.^_`|~"}.find(c)
                    != std::string_view::npos);
}

bool is_value_char(char c) {
  return c == '\t' || (c >= ' ' && c <= '~');
}

bool is_ours(std::string_view name, std::string_view reserved_prefix) {
  return has_header_prefix(name, "webhook-")
         || has_header_prefix(name, reserved_prefix)
         || std::ranges::any_of(ours, [name](std::string_view taken) {
              return same_header_name(name, taken);
            });
}

} // namespace

std::optional<std::string> refuse_header(const header& candidate,
                                         std::string_view reserved_prefix) {
  const auto& [name, value] = candidate;
  if (name.empty())
    return "a header needs a name";
  if (name.size() > max_name)
    return "the header name has " + std::to_string(name.size())
           + " bytes; at most 128 are allowed";
  if (!std::ranges::all_of(name, is_token_char))
    return "the header name must be letters, digits and !#$%&'*+-.^_`|~ only";
  // From here on the name is safe to repeat; a value never is.
  if (is_ours(name, reserved_prefix))
    return "the header " + name + " is set by Postrider; use another name";
  if (value.size() > max_value)
    return "the value of header " + name + " has "
           + std::to_string(value.size()) + " bytes; at most 4096 are allowed";
  if (!std::ranges::all_of(value, is_value_char))
    return "the value of header " + name
           + " must be visible ASCII, spaces and tabs only";
  return std::nullopt;
}

bool same_header_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

} // namespace postrider
