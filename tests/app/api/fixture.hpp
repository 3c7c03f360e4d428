#pragma once

#include "app/api/api.hpp"
#include "net/http_server.hpp"
#include "tests/app/api/engine.hpp"
#include "tests/support/raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace postrider {

constexpr std::string_view authorized = "Authorization: Bearer pr_key\r\n";
constexpr std::string_view as_json = "Content-Type: application/json\r\n";

/// The API on a real server, with one kept connection to it.
class api_test : public ::testing::Test {
protected:
  api_test() {
    options_.key = "pr_key";
    options_.max_batch = 10;
    options_.max_body = 100'000;
  }

  void SetUp() override { serve(engine_.ports()); }

  void serve(api::ports engine) {
    net::http_server_options server;
    server.body_limit = 600'000;
    server.refuse = api::refuse;
    server_ = std::make_unique<net::http_server>(
        server, api::make_api(options_, std::move(engine)));
    server_->start();
    client_ = std::make_unique<testing::raw_client>(server_->port());
  }

  /// Sends a request; `headers` are whole lines.
  testing::raw_answer call(std::string_view method, std::string_view target,
                           std::string_view body = "",
                           std::string_view headers = "") {
    std::string text{method};
    text.append(" ").append(target).append(" HTTP/1.1\r\nHost: h\r\n");
    text.append(authorized).append(headers);
    if (!body.empty())
      text.append("Content-Length: ")
          .append(std::to_string(body.size()))
          .append("\r\n");
    text.append("\r\n").append(body);
    return send(text, method == "HEAD");
  }

  testing::raw_answer send(std::string_view text, bool to_head = false) {
    client_->send(text);
    auto answer = client_->receive(to_head);
    if (!answer || answer->find("connection") == "close")
      client_ = std::make_unique<testing::raw_client>(server_->port());
    EXPECT_TRUE(answer) << "no answer to " << text.substr(0, 200);
    return answer.value_or(testing::raw_answer{});
  }

  /// Every refusal is a problem document that says which request it was.
  static nlohmann::json problem_of(const testing::raw_answer& answer) {
    EXPECT_EQ(answer.find("content-type"), "application/problem+json");
    auto body = nlohmann::json::parse(answer.body);
    EXPECT_EQ(body.at("status"), answer.status);
    EXPECT_EQ(body.at("request_id"), answer.find("x-request-id"));
    EXPECT_TRUE(body.contains("type") && body.contains("title")
                && body.contains("detail"));
    return body;
  }

  static std::string code_of(const testing::raw_answer& answer) {
    return problem_of(answer).at("code");
  }

  /// Expects 422 or 400 for a body, with a fault of this code at `pointer`.
  void expect_fault(const testing::raw_answer& answer, int status,
                    std::string_view pointer, std::string_view code) {
    EXPECT_EQ(answer.status, status) << answer.body;
    if (answer.status != status)
      return;
    auto errors = problem_of(answer).value("errors", nlohmann::json::array());
    for (const auto& error : errors)
      if (error.at("pointer") == pointer && error.at("code") == code)
        return;
    ADD_FAILURE() << "no " << code << " at " << pointer << ": " << answer.body;
  }

  api::api_options options_;
  testing::engine engine_;
  std::unique_ptr<net::http_server> server_;
  std::unique_ptr<testing::raw_client> client_;
};

/// An event with this payload, as it would stand in a body.
inline std::string event_with(std::string_view payload,
                              std::string_view more = "") {
  std::string text = R"({"tenant":"acme","type":"order.paid","payload":)";
  return text.append(payload).append(more).append("}");
}

} // namespace postrider
