#include "app/api_client.hpp"

#include "app/version.hpp"

#include <fmt/format.h>

#include <future>
#include <stdexcept>

namespace postrider::app {

namespace {

// The longest is a page of endpoints with all the headers that they may have.
constexpr std::size_t longest_answer = 64 << 20;

/// Whoever runs this program may call any address and port.
net::http_client_options unguarded(std::uint16_t port, std::size_t idle) {
  net::http_client_options options;
  options.max_idle_per_origin = idle;
  options.guard.ports = {port};
  options.guard.allow = {*parse_network("0.0.0.0/0"), *parse_network("::/0")};
  options.excerpt_limit = longest_answer;
  options.body_limit = longest_answer;
  return options;
}

url parse_base(const std::string& text) {
  auto parsed = parse_url(text);
  if (const auto* fault = std::get_if<url_fault>(&parsed))
    throw std::runtime_error{
        fmt::format("\"{}\" is not a usable URL: {}", text, fault->what)};
  auto base = std::get<url>(std::move(parsed));
  while (base.target.ends_with('/'))
    base.target.pop_back();
  return base;
}

} // namespace

api_client::api_client(const std::string& base, std::string token,
                       std::chrono::milliseconds timeout, std::size_t idle)
    : base_{parse_base(base)},
      token_{std::move(token)},
      timeout_{timeout},
      client_{unguarded(base_.port, idle)} {}

void api_client::send(std::string_view method, const std::string& path,
                      std::string json, callback done) {
  net::http_request request;
  request.method = method;
  request.target = base_;
  request.target.target += path;
  request.timeout = timeout_;
  request.headers = {{"User-Agent", fmt::format("postrider/{}", version())}};
  if (!json.empty())
    request.headers.add("Content-Type", "application/json");
  if (!token_.empty())
    request.headers.add("Authorization", fmt::format("Bearer {}", token_));
  request.body = std::make_shared<const std::string>(std::move(json));
  client_.send(std::move(request),
               [done = std::move(done)](const attempt_result& result) {
                 done({result.status.value_or(0), result.body_excerpt,
                       std::string{to_string(result.error)}});
               });
}

void api_client::post(const std::string& path, std::string json,
                      callback done) {
  send("POST", path, std::move(json), std::move(done));
}

api_answer api_client::post(const std::string& path, std::string json) {
  return call("POST", path, std::move(json));
}

api_answer api_client::call(std::string_view method, const std::string& path,
                            std::string json) {
  std::promise<api_answer> promise;
  auto answer = promise.get_future();
  send(method, path, std::move(json),
       [&promise](api_answer given) { promise.set_value(std::move(given)); });
  return answer.get();
}

void api_client::stop() {
  client_.stop();
}

} // namespace postrider::app
