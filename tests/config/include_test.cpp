#include "tests/config/scratch.hpp"

namespace postrider {

using testing::scratch;
using namespace std::chrono_literals;

class ConfigInclude : public scratch {};

TEST_F(ConfigInclude, LetsTheLaterFileWinKeyByKey) {
  write("conf.d/10-net.toml", "[http]\ntimeout = \"10s\"\n"
                              "connect_timeout = \"1s\"\n");
  write("conf.d/20-more.toml", "[http]\ntimeout = \"11s\"\n");
  write("conf.d/ignored.txt", "no TOML at all");
  const auto made = good("include = [\"conf.d/*.toml\"]\n[http]\n"
                         "timeout = \"9s\"\nidle_timeout = \"5s\"\n");
  EXPECT_EQ(made.http.timeout, 11s);
  EXPECT_EQ(made.http.connect_timeout, 1s);
  EXPECT_EQ(made.http.idle_timeout, 5s);
}

TEST_F(ConfigInclude, ListsWhatOneFileTookFromAnother) {
  write("conf.d/10.toml", "[node]\nname = \"b\"\n");
  const auto made =
      read("include = [\"conf.d/*.toml\"]\n[node]\nname = \"a\"\n");
  ASSERT_EQ(made.conflicts.size(), 1U);
  EXPECT_EQ(made.conflicts[0].key, "node.name");
  EXPECT_TRUE(made.conflicts[0].earlier.ends_with("postrider.toml:3:8"));
  EXPECT_TRUE(made.conflicts[0].later.ends_with("conf.d/10.toml:2:8"));
  EXPECT_EQ(made.files.size(), 2U);
}

TEST_F(ConfigInclude, TellsTheFaultsOfEveryFileWithTheirPlaces) {
  write("conf.d/a.toml", "[http]\ntimeout = 5\n");
  write("conf.d/b.toml", "[http]\nnope = 5\n");
  const auto all =
      faults("include = [\"conf.d/*.toml\"]\n[log]\nlevel = \"loud\"\n");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0].where.ends_with("postrider.toml:3:9")) << all[0].where;
  EXPECT_TRUE(all[1].where.ends_with("conf.d/a.toml:2:11")) << all[1].where;
  EXPECT_TRUE(all[2].where.ends_with("conf.d/b.toml:2:1")) << all[2].where;
}

TEST_F(ConfigInclude, SaysWhichFileIsMissingButAPatternMayFitNone) {
  EXPECT_TRUE(good("include = [\"conf.d/*.toml\"]\n").node.name.empty());
  const auto found = only("include = [\"other.toml\"]\n");
  EXPECT_TRUE(found.where.ends_with("postrider.toml:1:12")) << found.where;
  EXPECT_NE(found.what.find("there is no file "), std::string::npos);
}

TEST_F(ConfigInclude, RefusesACycle) {
  write("a.toml", "include = [\"b.toml\"]\n");
  write("b.toml", "include = [\"./a.toml\"]\n");
  const auto found = only("include = [\"a.toml\"]\n");
  EXPECT_TRUE(found.where.ends_with("b.toml:1:12")) << found.where;
  EXPECT_TRUE(found.what.ends_with("a.toml includes itself")) << found.what;
  EXPECT_TRUE(only("include = [\"postrider.toml\"]\n")
                  .what.ends_with("postrider.toml includes itself"));
}

TEST_F(ConfigInclude, RefusesTheSameFileTwice) {
  write("a.toml", "[node]\nname = \"a\"\n");
  EXPECT_TRUE(only("include = [\"a.toml\", \"a.*\"]\n")
                  .what.ends_with("a.toml is included twice"));
}

TEST_F(ConfigInclude, RefusesWhatIsNoListOfNames) {
  EXPECT_EQ(only("include = \"a.toml\"\n").what,
            "include: is not a list of files (write [\"conf.d/*.toml\"])");
  EXPECT_EQ(only("include = [1]\n").what, "include: is not the name of a file");
}

TEST_F(ConfigInclude, IsBoundedInDepth) {
  for (int i = 0; i < 20; ++i)
    write("d" + std::to_string(i) + ".toml",
          "include = [\"d" + std::to_string(i + 1) + ".toml\"]\n");
  write("d20.toml", "");
  EXPECT_NE(only("include = [\"d0.toml\"]\n").what.find("8 deep"),
            std::string::npos);
}

} // namespace postrider
