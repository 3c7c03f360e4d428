#include "net/client/request_head.hpp"

#include <algorithm>
#include <array>

namespace postrider::net::client {

namespace {

bool ends_a_line(char c) {
  return c == '\r' || c == '\n' || c == '\0';
}

bool dangerous(std::string_view text) {
  return std::any_of(text.begin(), text.end(), ends_a_line);
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
    if (each.name.empty() || dangerous(each.value) || dangerous(each.name)
        || each.name.find_first_of(": \t") != std::string::npos)
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
