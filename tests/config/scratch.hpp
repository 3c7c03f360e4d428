#pragma once

#include "config/load.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace postrider::testing {

/// A folder of its own for each test, removed at the end, and an environment
/// that holds only what the test puts in.
class scratch : public ::testing::Test {
public:
  ~scratch() override { std::filesystem::remove_all(folder_); }

  /// Writes a file that nobody else may read, and returns its name.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream{folder_ / name, std::ios::binary} << text;
    std::filesystem::permissions(folder_ / name, std::filesystem::perms{0600});
    return (folder_ / name).string();
  }

  /// Reads `text` as the main file, with the variables and the settings.
  config::reading read(const std::string& text) const {
    return config::read({write("postrider.toml", text), variables, settings});
  }
  /// Fails the test when there are faults.
  config::config good(const std::string& text) const {
    auto made = read(text);
    for (const auto& one : made.faults)
      ADD_FAILURE() << config::to_string(one);
    return std::move(made.whole);
  }
  std::vector<config::fault> faults(const std::string& text) const {
    auto made = read(text);
    EXPECT_FALSE(made.faults.empty()) << "was accepted: " << text;
    return std::move(made.faults);
  }
  /// The only fault.
  config::fault only(const std::string& text) const {
    const auto all = faults(text);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? config::fault{} : all.front();
  }
  const std::filesystem::path& folder() const { return folder_; }

  config::environment variables;
  std::vector<std::string> settings;

private:
  static std::filesystem::path make_folder() {
    auto name =
        (std::filesystem::temp_directory_path() / "postrider-XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  std::filesystem::path folder_ = make_folder();
};

} // namespace postrider::testing
