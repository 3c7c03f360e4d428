#pragma once

#include "tests/app/program.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace postrider::testing {

/// How a `postrider bench` has ended.
struct bench_ended {
  int status = 0;
  std::string output;
  nlohmann::json report; ///< null when it wrote none
};

/// On a private PostgreSQL of its own.
inline bench_ended bench(std::vector<std::string> arguments) {
  const temporary_folder folder;
  const auto file = (folder.path() / "report.json").string();
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--report", file});
  const auto done = postrider(arguments);
  bench_ended found{done.status, done.output, nullptr};
  if (std::ifstream written{file})
    found.report = nlohmann::json::parse(written);
  return found;
}

/// On a database of the server that the tests share, which is there already.
inline bench_ended bench_on_given(std::vector<std::string> arguments) {
  const temporary_folder folder;
  arguments.insert(
      arguments.end(),
      {"--database-url-file",
       folder.write("url", postgres_server::shared().fresh_database())});
  return bench(std::move(arguments));
}

/// Of the phases, in their order.
inline std::vector<std::string> names_of(const nlohmann::json& phases) {
  std::vector<std::string> names;
  for (const auto& one : phases)
    names.push_back(one.at("name"));
  return names;
}

/// Something was, each once, in order and well signed, and the record of it is
/// right.
inline void expect_delivered(const nlohmann::json& facts) {
  EXPECT_GT(facts.at("unique"), 0);
  EXPECT_EQ(facts.at("duplicates"), 0);
  EXPECT_EQ(facts.at("out_of_order"), 0);
  EXPECT_EQ(facts.at("forged"), 0);
  EXPECT_GT(facts.at("verified"), 0);
  EXPECT_EQ(facts.at("requests"), facts.at("attempts_sent"));
}

inline void expect_all_delivered(const nlohmann::json& facts, int count) {
  EXPECT_EQ(facts.at("unique"), count);
  expect_delivered(facts);
}

} // namespace postrider::testing
