#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace postrider {
namespace {

const std::filesystem::path folder{POSTRIDER_TESTS};

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// One line of the table.
struct row {
  std::string id;
  std::vector<std::string> files;
  std::vector<std::string> tests;
  std::string note;
};

std::vector<std::string> all_of(const std::string& text,
                                const std::regex& what) {
  std::vector<std::string> out;
  for (std::sregex_iterator at{text.begin(), text.end(), what}, end; at != end;
       ++at)
    out.push_back((*at)[1]);
  return out;
}

std::vector<row> rows() {
  static const std::regex line{
      R"(\| ([A-Z]+-\d\d) \| [a-z]+ \| (.*?) \| (.*?) ?\|)"};
  static const std::regex file{"`([a-z0-9_/]+\\.cpp)`"};
  static const std::regex test{"`([A-Za-z0-9_]+\\.[A-Z][A-Za-z0-9]+)`"};
  std::vector<row> out;
  std::ifstream in{folder / "CASES.md"};
  for (std::string text; std::getline(in, text);) {
    std::smatch found;
    if (!std::regex_match(text, found, line))
      continue;
    // A note may name a test too: it has to be there as well.
    out.push_back(
        {found[1], all_of(found[2], file), all_of(text, test), found[3]});
  }
  return out;
}

/// Every test of every program that is built, as `suite.name`.
std::set<std::string> built_tests() {
  std::set<std::string> out;
  std::istringstream programs{POSTRIDER_TEST_PROGRAMS};
  for (std::string program; std::getline(programs, program, ':');) {
    if (!std::filesystem::exists(program))
      continue;
    const auto command = "'" + program + "' --gtest_list_tests";
    std::unique_ptr<FILE, int (*)(FILE*)> from{popen(command.c_str(), "r"),
                                               pclose};
    std::array<char, 1024> buffer;
    std::string suite;
    while (from && std::fgets(buffer.data(), buffer.size(), from.get())) {
      std::string name{buffer.data()};
      name.erase(name.find_last_not_of(" \n") + 1);
      if (name.starts_with("  "))
        out.insert(suite + name.substr(2));
      else
        suite = name;
    }
  }
  return out;
}

TEST(Cases, AreAllInTheTableOnce) {
  std::set<std::string> ids;
  for (const auto& each : rows())
    EXPECT_TRUE(ids.insert(each.id).second) << each.id << " stands twice";
  EXPECT_EQ(ids.size(), 106u);
}

TEST(Cases, AreProvedByTestsThatExistAndNameThem) {
  const auto there = built_tests();
  for (const auto& each : rows()) {
    for (const auto& test : each.tests)
      EXPECT_TRUE(there.contains(test)) << each.id << ": no test " << test
                                        << "; or is its program not built?";
    for (const auto& file : each.files)
      EXPECT_NE(content_of(folder / file).find(each.id), std::string::npos)
          << file << " does not name " << each.id;
  }
}

TEST(Cases, ThatNothingProvesYetSayWhy) {
  for (const auto& each : rows())
    EXPECT_TRUE(!each.files.empty() || each.note.starts_with("issue ")
                || each.note.starts_with("later: "))
        << each.id;
}

} // namespace
} // namespace postrider
