#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <random>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

void publish(pqxx::transaction_base& in, const std::string& body) {
  in.exec_params("select postrider.publish('acme', 'a.b', $1::text)", body);
}

std::set<std::string> bodies(const receiver& at) {
  std::set<std::string> out;
  for (const auto& one : at.arrivals())
    out.insert(one.body);
  return out;
}

// DESIGN 4.3: ids are drawn before they are committed.
TEST(LateCommit, ARowThatAppearsBehindTheCursorIsDelivered) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  pqxx::connection link{here.url()};
  pqxx::work slow{link};
  publish(slow, "\"late\"");
  for (int i = 0; i < 50; ++i)
    here.send("a.b", fmt::format("{}", i));
  ASSERT_TRUE(shop.wait_for(50));
  EXPECT_FALSE(bodies(shop).contains("\"late\""));
  const auto before = std::chrono::steady_clock::now();
  slow.commit();
  ASSERT_TRUE(shop.wait_for(51));
  EXPECT_TRUE(bodies(shop).contains("\"late\""));
  // Found because its transaction ended, not by the slow sweep, which takes a
  // minute for a round.
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 51u);
}

// LIFE-09, B-13 in short: neither stalled nor hidden by what stays open.
TEST(LateCommit, NothingIsStalledOrHiddenBehindATransactionOpenForLong) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  pqxx::connection writing{here.url()};
  pqxx::work unrelated{writing};
  unrelated.exec("create table held_open (n int)");
  pqxx::connection reading{here.url()};
  pqxx::transaction<pqxx::repeatable_read> report{reading};
  report.exec("select count(*) from postrider.delivery");
  pqxx::connection other{here.url()};
  for (int round = 0; round < 20; ++round) {
    pqxx::work first{other};
    publish(first, fmt::format("\"held {}\"", round));
    here.send("a.b", fmt::format("\"quick {}\"", round));
    ASSERT_TRUE(eventually([&] {
      return bodies(shop).contains(fmt::format("\"quick {}\"", round));
    }));
    first.commit();
  }
  ASSERT_TRUE(shop.wait_for(40));
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(bodies(shop).size(), 40u);
  EXPECT_EQ(shop.arrivals().size(), 40u);
}

// B-20 in short: random interleavings of begin, insert, commit and rollback.
TEST(LateCommit, RandomInterleavingsOfCommitsAndRollbacksSkipNothing) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("ordering":"none")");
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 dice{seed};
  struct session {
    std::unique_ptr<pqxx::connection> link;
    std::unique_ptr<pqxx::work> open;
    std::vector<std::string> wrote;
  };
  std::vector<session> all(8);
  for (auto& one : all)
    one.link = std::make_unique<pqxx::connection>(here.url());
  std::set<std::string> expected;
  for (int move = 0; move < 1500; ++move) {
    auto& one = all[dice() % all.size()];
    if (!one.open)
      one.open = std::make_unique<pqxx::work>(*one.link);
    const auto choice = dice() % 10;
    if (choice < 6) {
      one.wrote.push_back(fmt::format("{}", move));
      publish(*one.open, one.wrote.back());
      continue;
    }
    if (choice < 9) {
      one.open->commit();
      expected.insert(one.wrote.begin(), one.wrote.end());
    } else {
      one.open->abort();
    }
    one.open.reset();
    one.wrote.clear();
  }
  for (auto& one : all)
    if (one.open) {
      one.open->commit();
      expected.insert(one.wrote.begin(), one.wrote.end());
    }
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(bodies(shop), expected);
  EXPECT_EQ(shop.arrivals().size(), expected.size());
}

} // namespace
} // namespace postrider::testing
