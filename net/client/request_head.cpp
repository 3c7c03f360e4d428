#include "net/client/request_head.hpp"

#include <algorithm>
#include <array>

namespace postrider::net::client {

namespace {

// Without an early exit the compiler makes vector code of such a loop.
bool ends_a_line(std::string_view text) {
  bool found = false;
  for (const char c : text)
    found |= c == '\r' || c == '\n' || c == '\0';
  return found;
}

bool ends_a_name(std::string_view text) {
  bool found = text.empty();
  for (const char c : text)
    found |= static_cast<unsigned char>(c) <= ' ' || c == ':';
  return found;
}

bool ours(std::string_view name) {
  static constexpr std::array<std::string_view, 6> names{
      "host",   "content-length", "transfer-encoding",
      "expect", "connection",     "upgrade"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view each) {
    return each.size() == name.size() && same_header_name(each, name);
  });
}

} // namespace

std::optional<std::string> refuse_request(const http_request& request) {
  const auto& target = request.target;
  if (target.port == 0 || target.host.empty() || !target.target.starts_with('/')
      || std::any_of(target.target.begin(), target.target.end(),
                     [](char c) { return c <= ' ' || c == 0x7f; }))
    return "the URL can't be sent to";
  for (const auto& each : request.headers) {
    if (ends_a_name(each.name) || ends_a_line(each.value))
      return "a header holds a byte that would end its line";
    if (ours(each.name))
      return "the header '" + each.name + "' is written by the client";
  }
  return std::nullopt;
}

void write_request_head(const http_request& request, std::string& into) {
  into.assign("POST ");
  into += request.target.target;
  into += " HTTP/1.1\r\nHost: ";
  into += request.target.authority();
  into += "\r\n";
  for (const auto& each : request.headers) {
    into += each.name;
    into += ": ";
    into += each.value;
    into += "\r\n";
  }
  into += "Content-Length: ";
  into += std::to_string(request.body ? request.body->size() : 0);
  into += "\r\n\r\n";
}

} // namespace postrider::net::client
