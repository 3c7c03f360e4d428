#include "tests/app/client_fixture.hpp"

#include "tests/support/eventually.hpp"

namespace postrider::testing {
namespace {

class DrainCommand : public client_test {
protected:
  static std::string leases(const std::string& name) {
    return here_->sql("select count(*) from postrider.partition p join "
                      "postrider.node n on n.id = p.owner where n.name = '"
                      + name + "'");
  }
};

TEST_F(DrainCommand, WaitsUntilTheNodeHasGivenAllBackAndCanBeUndone) {
  auto& more =
      here_->start({{"NODE__NAME", "more"}, {"DELIVERY__HEARTBEAT", "200ms"}});
  ASSERT_TRUE(eventually([&] { return leases("more") == "128"; }));
  const auto done = run({"drain", "--node", "more"});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_TRUE(holds(done.output, "drained")) << done.output;
  EXPECT_EQ(leases("more"), "0");
  EXPECT_EQ(here_->call(more, "READY", "/readyz").status, 200);
  const auto table = output({"nodes", "--plain"});
  EXPECT_TRUE(holds(table, "more\tdrained\tall\t0\t")) << table;
  EXPECT_EQ(run({"drain", "--node", "more", "--undo"}).status, app::exit_done);
  EXPECT_TRUE(eventually([&] { return leases("more") == "128"; }));
  more.signal(SIGTERM);
  EXPECT_EQ(more.wait(), 0);
  here_->nodes().pop_back();
}

TEST_F(DrainCommand, TellsWhatItCanNotFind) {
  const auto done = run({"drain", "--node", "nobody"});
  EXPECT_EQ(done.status, app::exit_not_found) << done.output;
  EXPECT_TRUE(holds(done.output, "postrider nodes")) << done.output;
  const auto wrong = here_->call(
      "POST", "/v1/nodes/00000000-0000-7000-8000-000000000000/drain");
  EXPECT_EQ(wrong.status, 404) << wrong.body;
  EXPECT_EQ(here_->call("POST", "/v1/nodes/x/undrain").status, 404);
}

} // namespace
} // namespace postrider::testing
