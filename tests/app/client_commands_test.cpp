#include "tests/app/client_fixture.hpp"

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

class ClientCommands : public client_test {};

TEST_F(ClientCommands, LeadFromATenantToAnAttemptAndBack) {
  receiver shop{[](const arrival&) { return answer(204); }};
  const auto to = endpoint(shop.url(), {"--max-in-flight", "3", "--retry",
                                        "1s 2s", "--header", "X-Shop: 1"});
  const auto shown = output({"endpoints", "get", to, "--plain"});
  EXPECT_TRUE(holds(shown, "max_in_flight\t3\n")) << shown;
  EXPECT_TRUE(holds(output({"endpoints", "update", to, "--description", "new",
                            "--request-timeout", "2s"}),
                    "timeout_seconds"));
  const auto sent = run({"send", "order.paid", "--tenant", tenant_, "--data",
                         "{\"n\": 1}", "--id", "own-1", "--wait"});
  EXPECT_EQ(sent.status, app::exit_done) << sent.output;
  EXPECT_TRUE(holds(sent.output, "succeeded  204")) << sent.output;
  EXPECT_EQ(shop.arrivals().at(0).body, "{\"n\": 1}");
  EXPECT_EQ(shop.arrivals().at(0).find("X-Shop"), "1");

  const auto row = output({"deliveries", "list", "--tenant", tenant_, "--state",
                           "succeeded", "--plain"});
  EXPECT_EQ(lines(row), 1) << row;
  const auto delivery = row.substr(0, row.find('\t'));
  EXPECT_TRUE(holds(output({"deliveries", "get", delivery}), "succeeded"));
  const auto attempts =
      output({"attempts", "list", "--delivery", delivery, "--plain"});
  EXPECT_EQ(lines(attempts), 1) << attempts;
  EXPECT_EQ(attempts,
            output({"attempts", "list", "--endpoint", to, "--plain"}));
  auto attempt = attempts.substr(attempts.rfind('\t') + 1);
  attempt.pop_back();
  EXPECT_TRUE(holds(output({"attempts", "get", attempt, "--json"}),
                    "\"status_code\":204"));
  EXPECT_EQ(lines(output({"events", "list", "--tenant", tenant_, "--type",
                          "order.paid", "--since", "1h", "--plain"})),
            1);
  EXPECT_TRUE(holds(output({"events", "get", "own-1", "--tenant", tenant_}),
                    "order.paid"));
  // The fixture reads whole lines.
  EXPECT_EQ(output({"events", "payload", "own-1", "--tenant", tenant_}),
            "{\"n\": 1}\n");

  EXPECT_EQ(run({"tenants", "delete", tenant_, "--yes"}).status,
            app::exit_refused);
  EXPECT_EQ(run({"endpoints", "delete", to}).status, app::exit_refused);
  EXPECT_EQ(run({"endpoints", "delete", to, "--yes"}).status, app::exit_done);
  EXPECT_EQ(run({"tenants", "delete", tenant_, "--yes"}).status,
            app::exit_done);
  EXPECT_EQ(run({"tenants", "get", tenant_}).status, app::exit_not_found);
}

TEST_F(ClientCommands, OperateTheHealthOfAnEndpoint) {
  const auto to = endpoint("https://receiver.example/in");
  const auto health = [&](const char* name) {
    const auto shown = output({"endpoints", "health", to, "--plain"});
    const auto at = shown.find(std::string{name} + "\t");
    EXPECT_NE(at, std::string::npos) << shown;
    const auto from = at + std::string{name}.size() + 1;
    return shown.substr(from, shown.find('\n', from) - from);
  };
  const auto listed = [&](const char* state) {
    return lines(output({"endpoints", "list", "--tenant", tenant_, "--health",
                         state, "--plain"}));
  };
  EXPECT_EQ(health("state"), "healthy");
  EXPECT_EQ(listed("paused"), 0);
  EXPECT_EQ(run({"endpoints", "pause", to, "--reason", "until noon"}).status,
            app::exit_done);
  EXPECT_EQ(health("paused_reason"), "until noon");
  EXPECT_EQ(listed("paused"), 1);
  EXPECT_EQ(listed("healthy"), 1);
  run({"send", "a.b", "--tenant", tenant_});
  EXPECT_EQ(lines(output({"deliveries", "list", "--tenant", tenant_, "--state",
                          "held", "--plain"})),
            1);
  EXPECT_EQ(health("held"), "1");

  auto done = run({"endpoints", "disable", to});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "cancel what is open for it (1)?"))
      << done.output;
  EXPECT_EQ(health("state"), "healthy");
  done = run({"endpoints", "disable", to, "--yes", "--reason", "over"});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_EQ(health("reason"), "over");
  EXPECT_EQ(listed("disabled"), 1);
  run({"send", "a.b", "--tenant", tenant_});
  const auto missed =
      output({"deliveries", "list", "--tenant", tenant_, "--limit", "1",
              "--state", "cancelled", "--plain"});
  EXPECT_TRUE(holds(missed, "\tendpoint_disabled\t")) << missed;
  done = run({"deliveries", "retry", missed.substr(0, missed.find('\t'))});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "enable it first")) << done.output;

  EXPECT_EQ(run({"endpoints", "resume", to}).status, app::exit_done);
  const auto enabled = output({"endpoints", "enable", to, "--json"});
  EXPECT_TRUE(holds(enabled, "\"state\":\"healthy\"")) << enabled;
  EXPECT_EQ(run({"endpoints", "pause", "ep_1"}).status, app::exit_not_found);
}

TEST_F(ClientCommands, SetTheFlowOfAnEndpointAndOfATenant) {
  const auto to = endpoint(
      "https://receiver.example/in",
      {"--rate", "2.5", "--retry-statuses", "5xx", "--health-policy", "shop"});
  auto shown = output({"endpoints", "get", to, "--plain"});
  EXPECT_TRUE(holds(shown, "rate\t2.5\n")) << shown;
  EXPECT_TRUE(holds(shown, "retry_statuses\t5xx\n")) << shown;
  EXPECT_TRUE(holds(shown, "health_policy\tshop\n")) << shown;
  shown = output({"endpoints", "update", to, "--rate", "none",
                  "--retry-statuses", "none", "--plain"});
  EXPECT_TRUE(holds(shown, "rate\t-\n")) << shown;
  EXPECT_TRUE(holds(shown, "retry_statuses\t-\n")) << shown;
  EXPECT_EQ(run({"endpoints", "update", to, "--rate", "fast"}).status,
            app::exit_usage);
  auto done = run({"endpoints", "update", to, "--retry", "1h 2h max_age=2h"});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "come to 3h")) << done.output;

  shown = output({"tenants", "update", tenant_, "--max-in-flight", "50",
                  "--rate", "0.5", "--plain"});
  EXPECT_TRUE(holds(shown, "max_in_flight\t50\n")) << shown;
  EXPECT_TRUE(holds(shown, "rate\t0.5\n")) << shown;
  shown = output({"tenants", "update", tenant_, "--rate", "none", "--plain"});
  EXPECT_TRUE(holds(shown, "max_in_flight\t50\n")) << shown;
  EXPECT_TRUE(holds(shown, "rate\t-\n")) << shown;
  EXPECT_EQ(run({"tenants", "update", tenant_}).status, app::exit_usage);
  done = run({"tenants", "delete", "postrider", "--yes"});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "reserved_tenant")) << done.output;
}

TEST_F(ClientCommands, ShowListsAlignedPlainOrAsOneDocument) {
  const auto to = endpoint("https://receiver.example/in");
  const std::vector<std::string> list{"endpoints", "list", "--tenant", tenant_};
  const auto with = [&](const char* flag) {
    auto arguments = list;
    arguments.emplace_back(flag);
    return output(arguments);
  };
  const auto table = output(list);
  EXPECT_EQ(lines(table), 2);
  EXPECT_TRUE(table.starts_with("ID  ")) << table;
  EXPECT_EQ(table.find("TENANT"),
            table.find(" " + tenant_ + " ") - table.find('\n'))
      << "the heading stands above its column:\n"
      << table;
  EXPECT_TRUE(with("--plain").starts_with(to + "\t" + tenant_ + "\t"));
  const auto document = with("--json");
  EXPECT_TRUE(document.starts_with("{\"data\":[{\"id\":\"" + to)) << document;
  EXPECT_TRUE(document.ends_with("],\"has_more\":false}\n"));
  EXPECT_EQ(output({"nodes", "--json"}).find("\"version\":\"\""),
            std::string::npos);
  EXPECT_EQ(lines(output({"nodes", "--plain"})), 1);
}

TEST_F(ClientCommands, PageByThemselvesUpToTheLimit) {
  receiver shop{[](const arrival&) { return answer(200); }};
  const auto sent =
      run({"send", "a.b", "--tenant", tenant_, "--repeat", "600", "--json"});
  EXPECT_TRUE(holds(sent.output, "{\"accepted\":600,\"refused\":0"))
      << sent.output;
  const std::vector<std::string> list{"events", "list", "--tenant", tenant_,
                                      "--plain"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), list.begin(), list.end());
    return lines(output(more));
  };
  EXPECT_EQ(with({}), 50);
  EXPECT_EQ(with({"--limit", "300"}), 300);
  EXPECT_EQ(with({"--all"}), 600);
}

TEST_F(ClientCommands, TellWhatWasRefusedAndWhatToDo) {
  auto done = run({"endpoints", "create", "ftp://x", "--tenant", tenant_,
                   "--types", "a b", "--ordering-key", "event"});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "(validation_failed)\n  /url: "))
      << done.output;
  EXPECT_TRUE(holds(done.output, "\n  /types/0: ")) << done.output;
  done = run({"send", "a.b", "--tenant", "nobody"});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "try: postrider tenants create"))
      << done.output;
  done = run({"deliveries", "get", "dlv_1"});
  EXPECT_EQ(done.status, app::exit_not_found) << done.output;
  done = postrider({"nodes", "--url", url()});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "--token-file")) << done.output;
  done = run({"deliveries", "retry", "dlv_1", "dlv_2"});
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "2 of 2 were refused")) << done.output;
}

TEST_F(ClientCommands, TellTheirWayWithASilentServer) {
  receiver silent{[](const arrival&) {
    return script{{step::kind::pause, "", 20s}};
  }};
  const auto done =
      postrider({"nodes", "--url", silent.url(""), "--timeout", "200ms"});
  EXPECT_EQ(done.status, app::exit_timed_out) << done.output;
  EXPECT_TRUE(holds(done.output, "--timeout")) << done.output;
  receiver other{[](const arrival&) { return answer(200, "<html>"); }};
  EXPECT_EQ(postrider({"nodes", "--url", other.url("")}).status,
            app::exit_failed);
}

TEST_F(ClientCommands, SendTheKeyOfTheFileOnlyToTheNodeOfTheFile) {
  receiver other{[](const arrival&) { return answer(200, "{\"data\":[]}"); }};
  const auto file = folder_->write(
      "node.toml", fmt::format("[api]\nlisten = \"127.0.0.1:{}\"\nkey = "
                               "\"{}\"\n",
                               here_->nodes()[0]->api_port(), here_->key()));
  const auto done = postrider({"nodes", "--config", file, "--plain"});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  postrider({"nodes", "--url", other.url("")});
  EXPECT_EQ(other.arrivals().at(0).find("authorization"), "");
}

TEST_F(ClientCommands, AreColouredOnlyWhenToldTo) {
  receiver shop{[](const arrival&) { return answer(200); }};
  endpoint(shop.url());
  run({"send", "a.b", "--tenant", tenant_, "--wait"});
  const std::vector<std::string> list{"deliveries", "list", "--tenant",
                                      tenant_};
  EXPECT_FALSE(holds(output(list), "\x1b["));
  auto coloured = list;
  coloured.insert(coloured.end(), {"--color", "always"});
  EXPECT_TRUE(holds(output(coloured), "\x1b[32msucceeded"));
}

// What a receiver answers reaches a terminal harmless.
TEST_F(ClientCommands, ShowNoControlCharacterOfAReceiver) {
  receiver shop{[](const arrival&) {
    return answer(400, "a\x1b[2Jb\xc2\x9b"
                       "c\r\n");
  }};
  endpoint(shop.url());
  run({"send", "a.b", "--tenant", tenant_, "--wait"});
  const auto row =
      output({"deliveries", "list", "--tenant", tenant_, "--plain"});
  auto attempt = output({"attempts", "list", "--delivery",
                         row.substr(0, row.find('\t')), "--plain"});
  attempt = attempt.substr(attempt.rfind('\t') + 1);
  attempt.pop_back();
  const auto shown = output({"attempts", "get", attempt});
  EXPECT_TRUE(holds(shown, "[2Jb")) << shown;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\x9b'), std::string::npos);
}

TEST_F(ClientCommands, TailShowsAttemptsAsTheyEndAndEndsAtASignal) {
  receiver shop{
      [](const arrival& here) { return answer(here.body == "1" ? 200 : 400); }};
  const auto to = endpoint(shop.url());
  const auto start = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{
        POSTRIDER_BINARY, "tail", "--last",     "250",
        "--endpoint",     to,     "--interval", "20ms"};
    for (auto& one : connection())
      arguments.push_back(one);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<app::child>(
        app::child_options{.arguments = arguments, .piped = true});
  };
  run({"send", "a.b", "--tenant", tenant_, "--data", "1", "--wait"});
  auto all = start({});
  auto line = all->read_line();
  ASSERT_TRUE(line && holds(*line, "succeeded")) << line.value_or("");
  auto failed = start({"--status", "4xx", "--count", "2", "--json"});
  for (const auto* data : {"2", "1", "3"})
    run({"send", "a.b", "--tenant", tenant_, "--data", data, "--wait"});
  EXPECT_EQ(failed->wait(), app::exit_done);
  for (int i = 0; i < 2; ++i) {
    line = failed->read_line();
    ASSERT_TRUE(line && holds(*line, "\"status_code\":400"));
  }
  EXPECT_FALSE(failed->read_line());
  for (const auto* word : {"failed", "succeeded", "failed"}) {
    line = all->read_line();
    ASSERT_TRUE(line && holds(*line, word)) << line.value_or("");
  }
  all->signal(SIGINT);
  EXPECT_EQ(all->wait(), app::exit_done);
}

} // namespace
} // namespace postrider::testing
