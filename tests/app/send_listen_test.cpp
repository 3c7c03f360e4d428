#include "tests/app/client_fixture.hpp"
#include "tests/support/eventually.hpp"

#include <chrono>
#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

class SendAndListen : public client_test {
protected:
  /// `postrider listen` on a free port; its output is read line by line, what
  /// it says goes into `log`.
  std::unique_ptr<app::child> listen(std::vector<std::string> more) {
    static int number = 0;
    log_ = folder_->write(fmt::format("listen-{}.log", ++number), "");
    std::string line =
        fmt::format("exec {} listen 127.0.0.1:0", POSTRIDER_BINARY);
    for (auto& one : connection())
      more.push_back(one);
    for (const auto& one : more)
      line += " '" + one + "'";
    auto made = std::make_unique<app::child>(app::child_options{
        .arguments = {"/bin/sh", "-c", line + " 2>" + log_}, .piped = true});
    EXPECT_TRUE(eventually([&] { return holds(said(), "listening on "); }))
        << said();
    return made;
  }
  std::string said() const {
    std::ifstream file{log_};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  std::string address() const {
    const auto text = said();
    const auto at = text.find("http://");
    return text.substr(at, text.find(',', at) - at);
  }
  std::string send(const std::string& data) {
    return run({"send", "a.b", "--tenant", tenant_, "--data", data, "--wait"})
        .output;
  }

  std::string log_;
};

TEST_F(SendAndListen, RegistersVerifiesShowsAndRemovesItselfAtCtrlC) {
  auto ear = listen({"--register", "--tenant", tenant_, "--print", "body"});
  EXPECT_EQ(
      lines(output({"endpoints", "list", "--tenant", tenant_, "--plain"})), 1);
  EXPECT_TRUE(holds(send("{\"n\": 7}"), "succeeded"));
  auto line = ear->read_line();
  ASSERT_TRUE(line && holds(*line, "signature ok  -> 200"))
      << line.value_or("");
  EXPECT_EQ(ear->read_line(), "{\"n\": 7}");
  ear->signal(SIGINT);
  EXPECT_EQ(ear->wait(), app::exit_done);
  EXPECT_TRUE(holds(said(), "removed ep_")) << said();
  EXPECT_EQ(output({"endpoints", "list", "--tenant", tenant_, "--plain"}), "");
}

TEST_F(SendAndListen, TellsAWrongSignatureByItsAnswerAndExitCode) {
  const auto secret = folder_->write(
      "other.secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
  auto ear =
      listen({"--secret-file", secret, "--count", "1", "--print", "json"});
  endpoint(address());
  EXPECT_TRUE(holds(send("1"), "failed"));
  const auto line = ear->read_line();
  ASSERT_TRUE(line && holds(*line, "\"signature\":\"wrong\",\"answered\":400"))
      << line.value_or("");
  EXPECT_EQ(ear->wait(), app::exit_not_met);
}

TEST_F(SendAndListen, PassesOnWhatItGetsAndAnswersWhatComesBack) {
  receiver target{[](const arrival&) { return answer(422); }};
  auto ear = listen({"--forward", target.url("/in"), "--count", "1"});
  endpoint(address());
  EXPECT_TRUE(holds(send("{\"n\": 8}"), "422"));
  ASSERT_EQ(target.arrivals().size(), 1u);
  const auto got = target.arrivals()[0];
  EXPECT_EQ(got.target, "/in");
  EXPECT_EQ(got.body, "{\"n\": 8}");
  EXPECT_NE(got.find("webhook-signature"), "");
  EXPECT_EQ(ear->wait(), app::exit_done);
}

TEST_F(SendAndListen, MisbehavesOnPurpose) {
  for (const auto& [flags, result] :
       {std::pair{std::vector<std::string>{"--drop-rate", "1"},
                  "connection_reset"},
        {{"--fail-rate", "1"}, "503"},
        {{"--status", "418"}, "418"}}) {
    auto arguments = flags;
    arguments.insert(arguments.end(), {"--count", "1"});
    auto ear = listen(arguments);
    const auto to = endpoint(address(), {"--retry", "1s"});
    run({"send", "a.b", "--tenant", tenant_});
    EXPECT_EQ(ear->wait(), app::exit_done);
    EXPECT_TRUE(eventually([&] {
      return holds(output({"attempts", "list", "--endpoint", to, "--plain"}),
                   result);
    })) << result;
    run({"endpoints", "delete", to, "--yes"});
  }
}

TEST_F(SendAndListen, SendsTheLinesOfAFileAndSaysWhichWereRefused) {
  receiver shop{[](const arrival&) { return answer(200); }};
  endpoint(shop.url());
  std::string text;
  for (int i = 1; i <= 700; ++i)
    text += i == 600 ? "{\"type\":\"a b\",\"payload\":1}\n"
                     : fmt::format("{{\"payload\":{}}}\n", i);
  const auto file = folder_->write("events.ndjson", text);
  auto done = run({"send", "a.b", "--tenant", tenant_, "--ndjson", file});
  EXPECT_EQ(done.status, app::exit_partly);
  EXPECT_TRUE(holds(done.output, "699 accepted, 0 duplicates, 1 rejected"))
      << done.output;
  EXPECT_TRUE(holds(done.output, "line 600: ")) << done.output;
  EXPECT_TRUE(holds(done.output, "/type")) << done.output;
  ASSERT_TRUE(shop.wait_for(699, 60s));
  // One endpoint, one stream: they come in the order of the lines.
  const auto arrivals = shop.arrivals();
  for (std::size_t i = 0; i < 699; ++i)
    ASSERT_EQ(arrivals[i].body, std::to_string(i < 599 ? i + 1 : i + 2));
  done = run({"send", "--tenant", tenant_, "--ndjson", "-"}, "{}\n[1]\n");
  EXPECT_EQ(done.status, app::exit_usage);
  EXPECT_TRUE(holds(done.output, "line 2 is no JSON object")) << done.output;
}

TEST_F(SendAndListen, SendsAgainAndAgainAtARate) {
  const auto begun = std::chrono::steady_clock::now();
  const auto done = run(
      {"send", "a.b", "--tenant", tenant_, "--repeat", "21", "--rate", "40"});
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 500ms);
  EXPECT_TRUE(holds(done.output, "21 accepted")) << done.output;
  EXPECT_EQ(run({"send", "a.b", "--tenant", "nobody", "--repeat", "3"}).status,
            app::exit_refused);
  EXPECT_EQ(
      run({"send", "a.b", "--tenant", tenant_, "--repeat", "3", "--id", "x"})
          .status,
      app::exit_usage);
}

TEST_F(SendAndListen, WaitsForTheOutcomeAndTellsItByItsExitCode) {
  receiver good{[](const arrival&) { return answer(200); }};
  receiver bad{[](const arrival&) { return answer(400); }};
  receiver slow{[](const arrival&) { return answer(500); }};
  const std::vector<std::string> send{"send", "a.b", "--tenant", tenant_,
                                      "--wait"};
  EXPECT_EQ(run(send).status, app::exit_done); // nobody wants it
  endpoint(bad.url());
  EXPECT_EQ(run(send).status, app::exit_failed);
  endpoint(good.url());
  EXPECT_EQ(run(send).status, app::exit_partly);
  endpoint(slow.url(), {"--retry", "1h"});
  auto hasty = send;
  hasty.insert(hasty.end(), {"--wait-limit", "5s"});
  const auto done = run(hasty);
  EXPECT_EQ(done.status, app::exit_timed_out);
  EXPECT_TRUE(holds(done.output, "1 of 3 are still open")) << done.output;
}

} // namespace
} // namespace postrider::testing
