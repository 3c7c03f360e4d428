#include "tests/app/client_fixture.hpp"

namespace postrider::testing {
namespace {

class DeadLetterCommands : public client_test {
protected:
  /// Events that this receiver refuses for good.
  void fail(int count) {
    for (int i = 0; i < count; ++i)
      run({"send", "a.b", "--tenant", tenant_, "--wait"});
  }
  std::vector<std::string> command(std::vector<std::string> words) {
    words.insert(words.begin(), "dead-letters");
    words.insert(words.end(), {"--tenant", tenant_});
    return words;
  }
  std::ptrdiff_t left() { return lines(output(command({"list", "--plain"}))); }
  /// On a terminal, where `typed` is answered.
  app::finished on_a_terminal(std::vector<std::string> words,
                              const std::string& typed) {
    std::string line = POSTRIDER_BINARY;
    for (const auto& one : command(std::move(words)))
      line += " " + one;
    for (const auto& one : connection())
      line += " " + one;
    return app::run(
        {.arguments = {"/usr/bin/script", "-qec", line, "/dev/null"}}, typed);
  }

  receiver shop_{[](const arrival&) { return answer(400); }};
};

TEST_F(DeadLetterCommands, CountListAndPutBack) {
  endpoint(shop_.url());
  fail(3);
  const auto summary = output(command({"summary", "--plain"}));
  EXPECT_TRUE(summary.starts_with("3\thttp_4xx\tep_")) << summary;
  EXPECT_EQ(left(), 3);
  EXPECT_EQ(lines(output(command({"list", "--plain", "--error", "http_5xx"}))),
            0);
  EXPECT_TRUE(holds(output(command({"retry", "--dry-run"})),
                    "3 dead letters to retry"));

  auto done = run(command({"retry"}));
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "--yes --expect 3")) << done.output;
  EXPECT_EQ(run(command({"retry", "--yes"})).status, app::exit_refused);
  done = run(command({"retry", "--yes", "--expect", "2"}));
  EXPECT_EQ(done.status, app::exit_refused);
  EXPECT_TRUE(holds(done.output, "there are 3, 2 were expected"))
      << done.output;
  EXPECT_EQ(shop_.arrivals().size(), 3u);

  done = run(command({"retry", "--yes", "--expect", "3"}));
  EXPECT_EQ(done.status, app::exit_done);
  EXPECT_TRUE(holds(done.output, "retried 3\n")) << done.output;
  EXPECT_TRUE(shop_.wait_for(6));
}

TEST_F(DeadLetterCommands, AreTreatedOnATerminalOnlyAfterAYes) {
  endpoint(shop_.url());
  fail(2);
  auto done = on_a_terminal({"purge"}, "n\n");
  EXPECT_EQ(done.status, app::exit_refused) << done.output;
  EXPECT_TRUE(holds(done.output, "purge 2 dead letters, for good? [y/N]"))
      << done.output;
  EXPECT_EQ(left(), 2);
  done = on_a_terminal({"purge"}, "y\n");
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_TRUE(holds(done.output, "purged 2")) << done.output;
  EXPECT_EQ(left(), 0);
  EXPECT_TRUE(holds(output(command({"purge"})), "0 dead letters to purge"));
}

TEST_F(DeadLetterCommands, ThatCanNotBePutBackMakeItPartlyDone) {
  const auto to = endpoint(shop_.url());
  fail(1);
  run({"endpoints", "delete", to, "--yes"});
  const auto done = run(command({"retry", "--yes"}));
  EXPECT_EQ(done.status, app::exit_partly);
  EXPECT_TRUE(holds(done.output, "retried 0, 1 left alone")) << done.output;
}

} // namespace
} // namespace postrider::testing
