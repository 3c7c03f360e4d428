#include "net/client/request_head.hpp"

#include <algorithm>

namespace postrider::net::client {

std::optional<std::string> refuse_request(const http_request& request) {
  const auto& target = request.target;
  if (target.port == 0 || target.host.empty() || !target.target.starts_with('/')
      || std::any_of(target.target.begin(), target.target.end(),
                     [](char c) { return c <= ' ' || c == 0x7f; }))
    return "the URL can't be sent to";
  if (!request.headers.fault().empty())
    return request.headers.fault();
  return std::nullopt;
}

void write_request_head(const http_request& request, std::string& into) {
  into.assign(request.method);
  into += ' ';
  into += request.target.target;
  into += " HTTP/1.1\r\nHost: ";
  into += request.target.authority();
  into += "\r\n";
  into += request.headers.text();
  into += "Content-Length: ";
  into += std::to_string(request.body ? request.body->size() : 0);
  into += "\r\n\r\n";
}

} // namespace postrider::net::client
