#include "tests/config/scratch.hpp"

namespace postrider {

using testing::scratch;

class ConfigWarnings : public scratch {
public:
  /// The only warning of a configuration without faults.
  std::string warning(const std::string& text) const {
    const auto made = read(text);
    EXPECT_TRUE(made.faults.empty());
    EXPECT_EQ(made.warnings.size(), 1U) << text;
    return made.warnings.empty() ? "" : config::to_string(made.warnings[0]);
  }
};

TEST_F(ConfigWarnings, TellOfAnAllowListThatLetsEverythingIn) {
  const auto said = warning("[guard]\nallow = [\"0.0.0.0/0\"]\n");
  EXPECT_NE(said.find("postrider.toml:2:9: warning: guard.allow: contains "
                      "0.0.0.0/0: every internal host can be called"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("    2 | allow = [\"0.0.0.0/0\"]\n"), std::string::npos);
}

TEST_F(ConfigWarnings, TellOfTheCloudsMetadataService) {
  EXPECT_NE(warning("[guard]\nallow = [\"169.254.0.0/16\"]\n")
                .find("169.254.169.254"),
            std::string::npos);
}

TEST_F(ConfigWarnings, TellOfASecretThatEverybodyCanRead) {
  const auto name = write("key", "0123456789abcdef0123\n");
  const auto text = "[api]\nkey_file = \"" + name + "\"\n";
  EXPECT_TRUE(read(text).warnings.empty());
  std::filesystem::permissions(name, std::filesystem::perms{0644});
  EXPECT_NE(warning(text).find("api.key_file: every user of this machine can "
                               "read "),
            std::string::npos);
}

TEST_F(ConfigWarnings, TellOfASecretInAFileThatEverybodyCanRead) {
  const auto name =
      write("open.toml", "[api]\nkey = \"0123456789abcdef0123\"\n");
  EXPECT_TRUE(config::read({name, {}, {}}).warnings.empty());
  std::filesystem::permissions(name, std::filesystem::perms{0644});
  const auto made = config::read({name, {}, {}});
  ASSERT_EQ(made.warnings.size(), 1U);
  const auto said = config::to_string(made.warnings[0]);
  EXPECT_EQ(said.find("0123456789"), std::string::npos) << said;
  EXPECT_NE(said.find("open.toml:2:7: warning: api.key:"), std::string::npos)
      << said;
}

TEST_F(ConfigWarnings, TellOfAStopThatIsShorterThanARequest) {
  EXPECT_NE(warning("[shutdown]\ntimeout = \"5s\"\n").find("may cut off"),
            std::string::npos);
}

} // namespace postrider
