#pragma once

#include "app/exit_code.hpp"
#include "tests/app/program.hpp"
#include "tests/e2e/platform.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace postrider::testing {

/// The command line against a node that all tests of a suite share; each has a
/// tenant of its own.
class client_test : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    here_ = std::make_unique<platform>();
    here_->start();
    folder_ = std::make_unique<temporary_folder>();
    token_ = folder_->write("api.key", here_->key() + "\n");
  }
  static void TearDownTestSuite() {
    here_.reset();
    folder_.reset();
  }

  void SetUp() override {
    static int number = 0;
    tenant_ = fmt::format("t{}", ++number);
    EXPECT_EQ(run({"tenants", "create", tenant_}).status, app::exit_done);
  }

  static std::string url() {
    return fmt::format("http://127.0.0.1:{}", here_->nodes()[0]->api_port());
  }
  /// Behind the verb of every client command.
  static std::vector<std::string> connection() {
    return {"--url", url(), "--token-file", token_};
  }
  static app::finished run(std::vector<std::string> arguments,
                           const std::string& input = "") {
    for (auto& one : connection())
      arguments.push_back(one);
    return postrider(std::move(arguments), input);
  }
  /// What a command prints that has to succeed, nothing else beside it.
  static std::string output(std::vector<std::string> arguments) {
    arguments.emplace_back("--quiet");
    const auto done = run(std::move(arguments));
    EXPECT_EQ(done.status, app::exit_done) << done.output;
    return done.output;
  }
  /// An endpoint of the test's tenant; returns its id.
  std::string endpoint(const std::string& to,
                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"endpoints", "create",  to,  "--tenant",
                                       tenant_,     "--types", "*", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return member(output(std::move(arguments)), "id");
  }

  static std::ptrdiff_t lines(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  }
  static bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  static inline std::unique_ptr<platform> here_;
  static inline std::unique_ptr<temporary_folder> folder_;
  static inline std::string token_;
  std::string tenant_;
};

} // namespace postrider::testing
