#include "net/server/wire.hpp"

#include <utility>

namespace postrider::net::server {

namespace http = boost::beast::http;

namespace {

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

/// A line end in a value would split the answer: it is left out.
std::string one_line(std::string value) {
  std::erase_if(value,
                [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  return value;
}

} // namespace

message to_message(server_response response, bool keep_alive,
                   std::string_view date, bool to_head) {
  message out;
  out.result(static_cast<unsigned>(response.status));
  out.set(http::field::date, date);
  for (auto& [name, value] : response.headers)
    out.insert(name, one_line(std::move(value)));
  if (may_have_body(response.status)) {
    out.content_length(response.body.size());
    if (!to_head)
      out.body() = std::move(response.body);
  }
  out.set(http::field::connection, keep_alive ? "keep-alive" : "close");
  return out;
}

} // namespace postrider::net::server
