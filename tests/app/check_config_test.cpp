#include "app/exit_code.hpp"
#include "app/receiver.hpp"
#include "config/docs.hpp"
#include "config/schema.hpp"
#include "tests/app/program.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

namespace postrider {

using testing::postrider;
using testing::temporary_folder;

/// A file from which a node could start, with what is put in.
class CheckConfig : public ::testing::Test {
public:
  std::string
  file(const std::string& more = "",
       const std::string& database = "postgresql:///x?host=/nowhere") const {
    const auto secret = [this](const std::string& name,
                               const std::string& text) {
      auto path = here.write(name, text);
      std::filesystem::permissions(path, std::filesystem::perms{0600});
      return path;
    };
    const auto url = secret("url", database + "\n");
    const auto key = secret("key", "0123456789abcdef0123\n");
    const auto box =
        secret("secret", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    return here.write("postrider.toml", "[storage]\nurl_file = \"" + url
                                            + "\"\nsecret_key_file = \"" + box
                                            + "\"\n[api]\nkey_file = \"" + key
                                            + "\"\n" + more);
  }

  temporary_folder here;
};

TEST_F(CheckConfig, SaysThatAllIsGood) {
  const auto done = postrider({"check-config", file()});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_EQ(done.output, "the configuration is good\n");
}

TEST_F(CheckConfig, TellsWhatServeWouldTell) {
  const auto name = file("[http]\ntimout = \"5s\"\n");
  const auto done = postrider({"check-config", name});
  EXPECT_EQ(done.status, app::exit_config) << done.output;
  EXPECT_NE(done.output.find(":7:1: error: unknown key http.timout (did you "
                             "mean timeout?)\n    7 | timout = \"5s\"\n"),
            std::string::npos)
      << done.output;
  EXPECT_TRUE(done.output.ends_with("1 error; nothing was applied\n"));
  auto served = postrider({"serve", "--config", name});
  EXPECT_EQ(served.status, app::exit_config);
  served.output.resize(done.output.size() - 25);
  EXPECT_TRUE(done.output.starts_with(served.output)) << served.output;
}

TEST_F(CheckConfig, MissesWhatANodeCantStartWithout) {
  const auto done = postrider({"check-config"});
  EXPECT_EQ(done.status, app::exit_config);
  EXPECT_TRUE(done.output.ends_with("3 errors; nothing was applied\n"))
      << done.output;
}

TEST_F(CheckConfig, FailsOnAWarningWhenStrict) {
  const auto name = file("[guard]\nallow = [\"0.0.0.0/0\"]\n");
  const auto mild = postrider({"check-config", name});
  EXPECT_EQ(mild.status, app::exit_done);
  EXPECT_NE(mild.output.find("warning: guard.allow: contains 0.0.0.0/0"),
            std::string::npos)
      << mild.output;
  EXPECT_EQ(postrider({"check-config", name, "--strict"}).status,
            app::exit_not_met);
  EXPECT_EQ(postrider({"check-config", file(), "--strict"}).status,
            app::exit_done);
}

TEST_F(CheckConfig, PrintsTheEffectiveValuesWithoutSecrets) {
  const auto done = postrider(
      {"check-config", file(), "--effective", "--set", "http.timeout=9s"});
  EXPECT_EQ(done.status, app::exit_done);
  EXPECT_NE(done.output.find("timeout = \"9s\""), std::string::npos);
  EXPECT_NE(done.output.find("# --set http.timeout"), std::string::npos);
  EXPECT_EQ(done.output.find("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(done.output.find("/nowhere"), std::string::npos);
}

TEST_F(CheckConfig, TriesWhatItNames) {
  const std::string free = "listen = \"127.0.0.1:0\"\n[admin]\n"
                           "listen = \"127.0.0.1:0\"\n";
  const auto done = postrider(
      {"check-config", "--connect",
       file(free, testing::postgres_server::shared().migrated_database())});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  for (const auto* word : {"database", "migrations", "rights", "secret_key",
                           "ca_file", "api.listen", "admin.listen"})
    EXPECT_NE(done.output.find(std::string{"ok       "} + word),
              std::string::npos)
        << word << "\n"
        << done.output;
}

TEST_F(CheckConfig, TellsEachThingThatCantBeUsed) {
  const app::receiver taken{"127.0.0.1", 0, {}};
  const auto done =
      postrider({"check-config", "--connect",
                 file("listen = \"127.0.0.1:" + std::to_string(taken.port())
                      + "\"\n[http]\nca_file = \"/nowhere/ca.pem\"\n")});
  EXPECT_EQ(done.status, app::exit_config) << done.output;
  for (const auto* word : {"database", "ca_file", "api.listen"})
    EXPECT_NE(done.output.find(std::string{"error    "} + word),
              std::string::npos)
        << word << "\n"
        << done.output;
}

TEST_F(CheckConfig, NeedsNoDatabaseForAnEmbeddedOne) {
  const auto name = here.write("plain.toml", "[node]\nname = \"a\"\n");
  EXPECT_EQ(postrider({"check-config", "--embedded", name}).status,
            app::exit_done);
}

TEST_F(CheckConfig, ShowsWhatOfTheFileIsInForce) {
  const auto done = postrider({"config", "show", "--config", file()});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_NE(done.output.find("key = \"…\""), std::string::npos) << done.output;
}

TEST_F(CheckConfig, PrintsTheSchemaAndThePage) {
  EXPECT_EQ(postrider({"config", "schema"}).output, config::json_schema());
  EXPECT_EQ(postrider({"config", "docs"}).output, config::documentation());
}

} // namespace postrider
