#pragma once

#include "config/load.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace postrider::testing {

/// A folder of its own for each test, removed at the end, and an environment
/// that holds only what the test puts in.
class scratch : public ::testing::Test {
public:
  ~scratch() override { std::filesystem::remove_all(folder_); }

  /// Writes a file and returns its name.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream{folder_ / name, std::ios::binary} << text;
    return (folder_ / name).string();
  }

  std::variant<config::config, std::vector<config::fault>>
  load(const std::string& text) const {
    return config::load(write("postrider.toml", text), env());
  }
  /// Fails the test when there are faults.
  config::config good(const std::string& text) const {
    auto loaded = load(text);
    if (const auto* all = std::get_if<std::vector<config::fault>>(&loaded)) {
      for (const auto& one : *all)
        ADD_FAILURE() << config::to_string(one);
      return {};
    }
    return std::get<config::config>(loaded);
  }
  std::vector<config::fault> faults(const std::string& text) const {
    auto loaded = load(text);
    if (const auto* all = std::get_if<std::vector<config::fault>>(&loaded))
      return *all;
    ADD_FAILURE() << "was accepted: " << text;
    return {};
  }
  /// The only fault.
  config::fault only(const std::string& text) const {
    const auto all = faults(text);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? config::fault{} : all.front();
  }

  config::environment env() const {
    return [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end())
        return std::nullopt;
      return found->second;
    };
  }

  std::map<std::string, std::string> variables;

private:
  static std::filesystem::path make_folder() {
    auto name =
        (std::filesystem::temp_directory_path() / "postrider-XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  std::filesystem::path folder_ = make_folder();
};

} // namespace postrider::testing
