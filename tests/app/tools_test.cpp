#include "app/exit_code.hpp"
#include "tests/app/program.hpp"
#include "tests/e2e/platform.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

app::finished in_bash(const std::string& script) {
  return app::run({.arguments = {"/bin/bash", "-c", script}});
}

// The vector of the specification.
TEST(SignAndVerify, AgreeWithTheSpecificationAndEachOther) {
  const temporary_folder here;
  const auto secret =
      here.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
  const auto body = here.write("body", "{\"test\": 2432232314}");
  const auto fixed =
      postrider({"sign", "--secret-file", secret, "--body", body, "--id",
                 "msg_p5jXN8AQM9LWM0D4loKWxJek", "--timestamp", "1614265330"});
  EXPECT_EQ(fixed.output,
            "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek\n"
            "webhook-timestamp: 1614265330\n"
            "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            "\n");
  const auto verify = [&](const std::string& headers, const std::string& text,
                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "verify", "--secret-file",        secret, "--headers", headers,
        "--body", here.write("got", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return postrider(std::move(arguments));
  };
  const auto old = here.write("old", fixed.output);
  auto done = verify(old, "{\"test\": 2432232314}");
  EXPECT_EQ(done.status, app::exit_not_met);
  EXPECT_TRUE(holds(done.output, "--tolerance")) << done.output;
  const auto fresh =
      here.write("fresh", "POST / HTTP/1.1\r\nWebhook-Extra: 1\r\n"
                              + postrider({"sign", "--secret-file", secret,
                                           "--body", body, "--id", "a"})
                                    .output);
  done = verify(fresh, "{\"test\": 2432232314}");
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_EQ(done.output, "verified a\n");
  done = verify(fresh, "{\"test\": 2432232315}");
  EXPECT_EQ(done.status, app::exit_not_met);
  EXPECT_TRUE(holds(done.output, "no signature fits")) << done.output;
  done = verify(here.write("none", "webhook-id: a\n"), "");
  EXPECT_EQ(done.status, app::exit_not_met);
  EXPECT_TRUE(holds(done.output, "no header webhook-timestamp"));
  EXPECT_EQ(verify(here.path() / "absent", "").status, app::exit_usage);
}

TEST(Completion, IsGoodBashAndOffersWhatFits) {
  const std::string source =
      fmt::format("source <({} completion bash)\n", POSTRIDER_BINARY);
  EXPECT_EQ(
      in_bash(fmt::format("bash -n <({} completion bash)", POSTRIDER_BINARY))
          .output,
      "");
  const auto offered = [&](const std::string& words) {
    const auto done = in_bash(
        source
        + fmt::format("COMP_WORDS=(postrider {}); "
                      "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_postrider\n"
                      "echo \"${{COMPREPLY[@]}}\"",
                      words));
    EXPECT_EQ(done.status, 0) << done.output;
    return done.output;
  };
  EXPECT_EQ(offered("dead-"), "dead-letters\n");
  EXPECT_EQ(offered("dead-letters p"), "purge\n");
  EXPECT_EQ(offered("deliveries list --sta"), "--state\n");
  EXPECT_EQ(offered("deliveries list --state f"), "failed\n");
  EXPECT_EQ(offered("deliveries list --state = f"), "failed\n");
  EXPECT_EQ(offered("completion f"), "fish\n");
  // The value of an option is no command.
  EXPECT_EQ(offered("deliveries --tenant events li"), "list\n");
  EXPECT_TRUE(holds(offered("''"), "serve"));
  EXPECT_EQ(offered("send --tenant ''"), "\n");
  const temporary_folder here;
  here.write("events.ndjson", "");
  EXPECT_TRUE(holds(offered("send --ndjson " + here.path().string() + "/e"),
                    "events.ndjson"));
}

TEST(Completion, IsGoodForTheOtherShellsWhereTheyAreInstalled) {
  for (const auto* shell : {"zsh", "fish"}) {
    const auto script = postrider({"completion", shell});
    EXPECT_EQ(script.status, app::exit_done);
    EXPECT_TRUE(holds(script.output, "dead-letters purge")) << shell;
    const auto checked =
        in_bash(fmt::format("if command -v {0} >/dev/null; then {0} -n <({1} "
                            "completion {0}); fi",
                            shell, POSTRIDER_BINARY));
    EXPECT_EQ(checked.output, "") << shell;
    EXPECT_EQ(checked.status, 0) << shell;
  }
}

TEST(Manual, HasEveryCommandAndNoFaultThatGroffFinds) {
  const auto page = postrider({"man"});
  EXPECT_EQ(page.status, app::exit_done);
  for (const auto* command :
       {"serve", "dead\\-letters purge", "endpoints create", "sign", "man",
        "completion", "check\\-config", "migrate up"})
    EXPECT_TRUE(holds(page.output, fmt::format(".SS \"postrider {}", command)))
        << command;
  EXPECT_TRUE(holds(page.output, "POSTRIDER_TOKEN_FILE"));
  const auto checked = in_bash(
      fmt::format("{} man | groff -man -Tutf8 -ww -z 2>&1", POSTRIDER_BINARY));
  EXPECT_EQ(checked.output, "");
  EXPECT_EQ(checked.status, 0);
}

TEST(Doctor, FindsAFitDatabaseFitAndSaysWhatAnotherNeeds) {
  const temporary_folder here;
  const auto look = [&](const std::string& url) {
    const auto file = here.write("postrider.toml",
                                 fmt::format("[storage]\nurl = \"{}\"\n", url));
    return postrider({"doctor", "--config", file});
  };
  auto& server = postgres_server::shared();
  auto done = look(server.migrated_database());
  for (const auto* name :
       {"database", "version", "clock", "migrations", "rights", "partitions",
        "retention", "resolver", "open files"})
    EXPECT_TRUE(holds(done.output, fmt::format("  {}  ", name))) << name;
  EXPECT_TRUE(holds(done.output, "ok    migrations     all")) << done.output;
  EXPECT_TRUE(holds(done.output, "ok    rights ")) << done.output;
  done = look(server.fresh_database());
  EXPECT_EQ(done.status, app::exit_not_met) << done.output;
  EXPECT_TRUE(holds(done.output, "are missing -> postrider migrate up"))
      << done.output;
  done = look("postgresql:///x?host=/nowhere");
  EXPECT_EQ(done.status, app::exit_not_met);
  EXPECT_TRUE(holds(done.output, "FAIL  database")) << done.output;
}

TEST(Doctor, SeesTimePartitionsRunOutAndSettingsThatLoseData) {
  const temporary_folder here;
  platform base;
  const auto file = here.write(
      "postrider.toml", fmt::format("[storage]\nurl = \"{}\"\n", base.url()));
  base.sql("do $$ declare p text; begin for p in select c.relname from "
           "pg_inherits i join pg_class c on c.oid = i.inhrelid where "
           "i.inhparent = 'postrider.attempt'::regclass and right(c.relname, "
           "8) > to_char(now() at time zone 'UTC', 'YYYYMMDD') loop execute "
           "'drop table postrider.' || p; end loop; end $$");
  base.sql("do $$ begin execute 'alter database ' || "
           "quote_ident(current_database()) || ' set synchronous_commit = "
           "off'; end $$");
  const auto done = postrider({"doctor", "--config", file, "--json"});
  EXPECT_EQ(done.status, app::exit_not_met);
  EXPECT_TRUE(
      holds(done.output, "{\"name\":\"partitions\",\"result\":\"warn\""))
      << done.output;
  EXPECT_TRUE(holds(done.output, "synchronous_commit=off")) << done.output;
}

TEST(Health, TellsByItsExitCodeWhetherANodeWorks) {
  platform here;
  auto& node = here.start();
  const auto url = fmt::format("http://127.0.0.1:{}", node.admin_port());
  EXPECT_EQ(postrider({"health", "--url", url, "--quiet"}).output, "");
  auto done = postrider({"health", "--url", url, "--ready"});
  EXPECT_EQ(done.status, app::exit_done);
  EXPECT_TRUE(holds(done.output, "status  ok")) << done.output;
  node.signal(SIGKILL);
  node.wait();
  EXPECT_EQ(postrider({"health", "--url", url}).status, app::exit_unreachable);
}

TEST(Health, FindsItsNodeByTheNodesOwnSettings) {
  platform here;
  auto& node = here.start();
  const auto done = in_bash(
      fmt::format("POSTRIDER_ADMIN__LISTEN=127.0.0.1:{} {} health --ready",
                  node.admin_port(), POSTRIDER_BINARY));
  EXPECT_EQ(done.status, app::exit_done) << done.output;
}

} // namespace
} // namespace postrider::testing
