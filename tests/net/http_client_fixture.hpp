#pragma once

#include "net/http_client.hpp"
#include "tests/support/receiver.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

namespace postrider::net {

using namespace std::chrono_literals;
using testing::answer;
using testing::arrival;
using testing::receiver;
using testing::script;
using testing::step;

inline http_client_options loopback_allowed() {
  http_client_options options;
  options.guard.allow = {parse_network("127.0.0.0/8").value(),
                         parse_network("::1").value()};
  return options;
}

inline http_request request_to(const std::string& where,
                               std::string body = "{}") {
  http_request request;
  request.target = std::get<url>(parse_url(where));
  request.headers = {{"content-type", "application/json"}};
  request.body = std::make_shared<const std::string>(std::move(body));
  return request;
}

/// Sends one request and waits for its result.
inline attempt_result post(http_client& client, http_request request) {
  auto promise = std::make_shared<std::promise<attempt_result>>();
  auto future = promise->get_future();
  client.send(std::move(request), [promise](attempt_result result) {
    promise->set_value(std::move(result));
  });
  if (future.wait_for(30s) != std::future_status::ready)
    throw std::runtime_error{"no result within 30 s"};
  return future.get();
}

inline attempt_result post(http_client& client, const std::string& where) {
  return post(client, request_to(where));
}

inline bool eventually(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit)
      return false;
    std::this_thread::yield();
  }
  return true;
}

inline step write(std::string bytes) {
  return {step::kind::write, std::move(bytes), 0ms};
}
inline step pause(std::chrono::milliseconds wait) {
  return {step::kind::pause, "", wait};
}
inline const step keep{};
inline const step close_now{step::kind::close, "", 0ms};
inline const step reset_now{step::kind::reset, "", 0ms};

/// A receiver that answers everything by the same script.
inline receiver::behaviour always(script steps) {
  return [steps = std::move(steps)](const arrival&) { return steps; };
}

/// One that goes by the number of the request, from 0; the last stays.
inline receiver::behaviour in_turn(std::vector<script> scripts) {
  return
      [scripts = std::move(scripts),
       next = std::make_shared<std::atomic<std::size_t>>(0)](const arrival&) {
        return scripts[std::min(next->fetch_add(1), scripts.size() - 1)];
      };
}

} // namespace postrider::net
