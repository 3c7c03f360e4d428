#include "app/exit_code.hpp"
#include "app/receiver.hpp"
#include "config/reference.hpp"
#include "tests/app/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

namespace postrider {

using testing::postrider;
using testing::temporary_folder;

TEST(CommandLine, ExplainsEveryCommandWithExamples) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"serve"},
        {"dev"},
        {"migrate"},
        {"migrate", "up"},
        {"migrate", "status"},
        {"send"},
        {"listen"},
        {"config", "example"},
        {"version"}}) {
    auto arguments = command;
    arguments.emplace_back("--help");
    const auto done = postrider(arguments);
    EXPECT_EQ(done.status, 0) << command.front();
    EXPECT_NE(done.output.find("EXAMPLES\n  "), std::string::npos)
        << done.output;
  }
}

TEST(CommandLine, SuggestsTheNearestCommandAndOption) {
  auto done = postrider({"serv"});
  EXPECT_EQ(done.status, app::exit_usage);
  EXPECT_EQ(done.output, "postrider: unknown command \"serv\" (did you mean "
                         "serve?)\ntry: postrider --help\n");
  done = postrider({"send", "order.paid", "--tenat", "acme"});
  EXPECT_EQ(done.status, app::exit_usage);
  EXPECT_NE(done.output.find("--tenat (did you mean --tenant?)"),
            std::string::npos)
      << done.output;
  done = postrider({"migrate", "pu"});
  EXPECT_EQ(done.status, app::exit_usage);
  EXPECT_NE(done.output.find("unknown command \"pu\""), std::string::npos)
      << done.output;
}

TEST(CommandLine, RefusesWrongUseWithCodeTwo) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{},
        {"send"},
        {"send", "a.b"},
        {"dev", "--for", "soon"},
        {"dev", "--rate", "-1"},
        {"listen", "nowhere"},
        {"listen", "--status", "99"},
        {"listen", "--fail-rate", "2"},
        {"listen", "--secret-file", "/none"},
        {"send", "a", "--tenant", "t", "--data", "@/none"},
        {"version", "extra"}}) {
    const auto done = postrider(wrong);
    EXPECT_EQ(done.status, app::exit_usage) << done.output;
    EXPECT_FALSE(done.output.empty());
  }
}

TEST(CommandLine, TellsItsVersion) {
  EXPECT_TRUE(std::regex_match(postrider({"version"}).output,
                               std::regex{"postrider \\d+\\.\\d+\\.\\d+\n"}));
  EXPECT_EQ(postrider({"version", "--json"}).output.rfind("{\"version\":\"", 0),
            0U);
}

TEST(CommandLine, PrintsTheReferenceFile) {
  EXPECT_EQ(postrider({"config", "example"}).output, config::reference_file());
}

TEST(CommandLine, StopsAtABadConfigurationWithCodeThree) {
  const temporary_folder here;
  const auto file =
      here.write("postrider.toml", "[http]\ntimout = \"5s\"\nnope = 1\n");
  const auto done = postrider({"serve", "--config", file});
  EXPECT_EQ(done.status, app::exit_config);
  EXPECT_NE(done.output.find("postrider.toml:2:1: error: unknown key "
                             "http.timout (did you mean timeout?)"),
            std::string::npos)
      << done.output;
  EXPECT_NE(done.output.find("2 errors; nothing was started"),
            std::string::npos);
}

TEST(CommandLine, SaysWhatServeStillNeeds) {
  const auto done = postrider({"serve"});
  EXPECT_EQ(done.status, app::exit_config);
  for (const auto* key :
       {"storage.url_file", "storage.secret_key_file", "api.key_file"})
    EXPECT_NE(done.output.find(key), std::string::npos) << done.output;
}

TEST(CommandLine, SaysThatTheServerOrDatabaseIsNotThereWithCodeFour) {
  const auto port = app::receiver{"127.0.0.1", 0, {}}.port(); // closed again
  auto done = postrider({"send", "a.b", "--tenant", "t", "--url",
                         fmt::format("http://127.0.0.1:{}", port)});
  EXPECT_EQ(done.status, app::exit_unreachable);
  EXPECT_NE(done.output.find("does not answer (connect_refused)"),
            std::string::npos)
      << done.output;
  const temporary_folder here;
  const auto file = here.write(
      "postrider.toml", "[storage]\nurl = \"postgresql:///x?host=/nowhere\"\n");
  done = postrider({"migrate", "status", "--config", file});
  EXPECT_EQ(done.status, app::exit_unreachable) << done.output;
}

TEST(CommandLine, SendRefusesDataThatIsNotJsonBeforeSendingIt) {
  const auto done = postrider({"send", "a.b", "--tenant", "t", "--data", "-",
                               "--url", "http://127.0.0.1:1"},
                              "{\"open\": ");
  EXPECT_EQ(done.status, app::exit_usage);
  EXPECT_NE(done.output.find("--data is not JSON"), std::string::npos)
      << done.output;
}

} // namespace postrider
