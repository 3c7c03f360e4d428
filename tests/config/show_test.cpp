#include "config/show.hpp"

#include "tests/config/scratch.hpp"

namespace postrider {

using testing::scratch;

class ConfigShow : public scratch {
public:
  /// The line of that key.
  static std::string line(const std::string& text, const std::string& start) {
    const auto at = text.find("\n" + start);
    if (at == std::string::npos)
      return "";
    return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }
};

TEST_F(ConfigShow, TellsWhereEachValueWasSet) {
  variables = {{"POSTRIDER_HTTP__TIMEOUT", "9s"}};
  settings = {"node.threads=2"};
  const auto text = config::show(read("[node]\nname = \"a\"\n"));
  EXPECT_TRUE(line(text, "name =").ends_with("postrider.toml:2:8")) << text;
  EXPECT_EQ(line(text, "timeout = \"9s\"").find("timeout = \"9s\" "), 0U);
  EXPECT_TRUE(
      line(text, "timeout = \"9s\"").ends_with("# POSTRIDER_HTTP__TIMEOUT"));
  EXPECT_TRUE(line(text, "threads = 2").ends_with("# --set node.threads"));
  EXPECT_TRUE(line(text, "heartbeat = \"2s\"").ends_with("# default"));
}

TEST_F(ConfigShow, BlanksSecrets) {
  variables = {{"POSTRIDER_API__KEY", "0123456789abcdef-secret"},
               {"POSTRIDER_STORAGE__URL", "postgresql://u:hunter2@db/x"}};
  const auto text = config::show(read(""));
  EXPECT_EQ(text.find("secret\""), std::string::npos) << text;
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_TRUE(line(text, "key = \"…\"").ends_with("# POSTRIDER_API__KEY"));
}

TEST_F(ConfigShow, ListsConflictsAndIsAFileItself) {
  write("conf.d/10.toml", "[node]\nname = \"b\"\n");
  const auto text = config::show(
      read("include = [\"conf.d/*.toml\"]\n[node]\nname = \"a\"\n"));
  EXPECT_NE(text.find("# node.name: "), std::string::npos) << text;
  EXPECT_NE(text.find("conf.d/10.toml:2:8\n"), std::string::npos) << text;
}

} // namespace postrider
