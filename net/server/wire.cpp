#include "net/server/wire.hpp"

#include <algorithm>
#include <charconv>

namespace postrider::net::server {

namespace {

struct phrase {
  int status;
  std::string_view text;
};

constexpr phrase phrases[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

void append_number(std::string& out, std::size_t number) {
  char digits[20];
  auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

/// A line end in a value would split the answer: it is left out.
void append_field(std::string& out, std::string_view name,
                  std::string_view value) {
  out.append(name).append(": ");
  for (auto c : value)
    if (c != '\r' && c != '\n' && c != '\0')
      out.push_back(c);
  out.append("\r\n");
}

} // namespace

std::string_view reason_phrase(int status) {
  auto found =
      std::find_if(std::begin(phrases), std::end(phrases),
                   [=](const phrase& p) { return p.status == status; });
  return found == std::end(phrases) ? "Status" : found->text;
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

void write_response_head(const server_response& response, bool keep_alive,
                         std::string_view date, std::string& out) {
  out.assign("HTTP/1.1 ");
  append_number(out, static_cast<std::size_t>(response.status));
  out.append(" ").append(reason_phrase(response.status)).append("\r\nDate: ");
  out.append(date).append("\r\n");
  for (const auto& [name, value] : response.headers)
    append_field(out, name, value);
  if (may_have_body(response.status)) {
    out.append("Content-Length: ");
    append_number(out, response.body.size());
    out.append("\r\n");
  }
  out.append(keep_alive ? "Connection: keep-alive\r\n\r\n"
                        : "Connection: close\r\n\r\n");
}

} // namespace postrider::net::server
