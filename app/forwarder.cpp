#include "app/forwarder.hpp"

#include "app/client/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace postrider::app {

namespace {

url parse_target(const std::string& text) {
  auto parsed = parse_url(text);
  if (const auto* fault = std::get_if<url_fault>(&parsed))
    throw failure{exit_usage, fmt::format("--forward: \"{}\" is not a usable "
                                          "URL: {}",
                                          text, fault->what)};
  return std::get<url>(std::move(parsed));
}

/// Whoever runs this program may call any address and port.
net::http_client_options unguarded(std::uint16_t port) {
  net::http_client_options options;
  options.guard.ports = {port};
  options.guard.allow = {*parse_network("0.0.0.0/0"), *parse_network("::/0")};
  return options;
}

bool of_the_connection(std::string_view name) {
  static constexpr std::array<std::string_view, 9> names{
      "host",       "content-length", "transfer-encoding",
      "connection", "keep-alive",     "expect",
      "te",         "trailer",        "upgrade"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view each) {
    return same_header_name(each, name);
  });
}

} // namespace

forwarder::forwarder(const std::string& url)
    : target_{parse_target(url)}, client_{unguarded(target_.port)} {}

void forwarder::pass_on(const net::server_request& request,
                        std::function<void(int)> done) {
  net::http_request out;
  out.target = target_;
  for (const auto& one : request.headers)
    if (!of_the_connection(one.name))
      out.headers.add(one.name, one.value);
  out.body = std::make_shared<const std::string>(request.body);
  client_.send(std::move(out),
               [done = std::move(done)](const attempt_result& result) {
                 done(result.status.value_or(502));
               });
}

} // namespace postrider::app
