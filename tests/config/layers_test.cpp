#include "tests/config/scratch.hpp"

#include "config/keys.hpp"
#include "config/render.hpp"

namespace postrider {

using testing::scratch;
using namespace std::chrono_literals;

class ConfigLayers : public scratch {};

TEST_F(ConfigLayers, WinInTheirOrder) {
  write("conf.d/a.toml", "[delivery]\nlease = \"32s\"\n");
  const std::string main = "include = [\"conf.d/*.toml\"]\n[delivery]\n"
                           "lease = \"31s\"\n";
  EXPECT_EQ(good("").delivery.lease, 20s);
  EXPECT_EQ(good("[delivery]\nlease = \"31s\"\n").delivery.lease, 31s);
  EXPECT_EQ(good(main).delivery.lease, 32s);
  variables["POSTRIDER_DELIVERY__LEASE"] = "33s";
  EXPECT_EQ(good(main).delivery.lease, 33s);
  settings = {"delivery.lease=34s"};
  EXPECT_EQ(good(main).delivery.lease, 34s);
  settings.emplace_back("delivery.lease=35s");
  EXPECT_EQ(good(main).delivery.lease, 35s);
}

TEST_F(ConfigLayers, CanSetEveryKeyByItsVariableTypedAsInTheFile) {
  config::config defaults;
  for (const auto& one : config::keys_of(defaults)) {
    if (std::holds_alternative<config::secret_field>(one.where))
      continue;
    auto text = config::render(one.where);
    if (text.starts_with('"'))
      text = text.substr(1, text.size() - 2);
    if (text == "[]")
      text = one.name == "ports" ? "25, 5432" : "10.0.0.0/8, fd00::/8";
    // A list is written without its brackets and quotes.
    std::erase_if(text,
                  [](char c) { return c == '[' || c == ']' || c == '"'; });
    variables = {{config::environment_name(one.section, one.name), text}};
    const auto made = read("");
    EXPECT_TRUE(made.faults.empty()) << one.path() << ": " << text;
    ASSERT_TRUE(made.origins.contains(one.path())) << one.path();
    EXPECT_EQ(made.origins.at(one.path()).where, variables.begin()->first);
  }
}

TEST_F(ConfigLayers, RefuseAVariableThatNamesNoKey) {
  variables = {{"POSTRIDER_DELIVERY__LEAES", "30s"}};
  EXPECT_EQ(config::to_string(only("")),
            "POSTRIDER_DELIVERY__LEAES: error: there is no such key (did you "
            "mean POSTRIDER_DELIVERY__LEASE?)");
  variables = {{"POSTRIDER_DELIVRY__LEASE", "30s"}};
  EXPECT_NE(only("").what.find("POSTRIDER_DELIVERY__LEASE?"),
            std::string::npos);
  variables = {{"POSTRIDER_XYZZY__PLUGH", "1"}};
  EXPECT_NE(only("").what.find("config example"), std::string::npos);
}

TEST_F(ConfigLayers, LeaveOtherVariablesAlone) {
  variables = {{"POSTRIDER_CONFIG", "x"},
               {"POSTRIDER_TOKEN_FILE", "x"},
               {"OTHER__THING", "x"},
               {"POSTRIDER___", "x"}};
  EXPECT_EQ(good("").delivery.lease, 20s);
}

TEST_F(ConfigLayers, NameTheSettingThatIsWrong) {
  settings = {"delivery.leaes=30s"};
  EXPECT_EQ(config::to_string(only("")),
            "--set delivery.leaes: error: there is no such key (did you mean "
            "delivery.lease?)");
  settings = {"delivery.lease"};
  EXPECT_EQ(only("").what, "write KEY=VALUE, such as delivery.lease=30s");
  settings = {"node.threads=two"};
  EXPECT_EQ(config::to_string(only("")),
            "--set node.threads: error: \"two\" is not a whole number");
}

TEST_F(ConfigLayers, TakeASecretByItsFileOnlyOnTheCommandLine) {
  settings = {"api.key=0123456789abcdef0123"};
  const auto found = only("");
  EXPECT_NE(found.what.find("use api.key_file"), std::string::npos);
  EXPECT_EQ(config::to_string(found).find("0123456789"), std::string::npos);
  settings = {"api.key_file=" + write("key", "0123456789abcdef0123\n")};
  EXPECT_EQ(good("").api.key, "0123456789abcdef0123");
}

TEST_F(ConfigLayers, DoNotReadTheFileOfASecretThatIsReplaced) {
  variables = {{"POSTRIDER_API__KEY", "0123456789abcdef0123"}};
  EXPECT_EQ(good("[api]\nkey_file = \"/nowhere/key\"\n").api.key,
            "0123456789abcdef0123");
}

TEST_F(ConfigLayers, TellTheFaultsOfAllAtOnce) {
  variables = {{"POSTRIDER_NODE__THREADS", "two"},
               {"POSTRIDER_NOPE__NOPE", "1"}};
  settings = {"log.level=loud"};
  EXPECT_EQ(faults("[http]\ntimeout = 1\n").size(), 4U);
}

} // namespace postrider
