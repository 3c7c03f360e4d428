#include "store/hosts.hpp"

#include "store/error.hpp"

#include <gtest/gtest.h>

namespace postrider::store {
namespace {

// PG-09
TEST(Hosts, OfWhichThereAreSeveralMeanThePrimary) {
  const auto some = connection_settings("postgresql://db1,db2/x", "n");
  EXPECT_EQ(some.at("target_session_attrs"), "read-write");
  EXPECT_EQ(count_hosts(some), 2);
  const auto one = connection_settings("postgresql://db1/x", "n");
  EXPECT_FALSE(one.contains("target_session_attrs"));
  EXPECT_EQ(count_hosts(one), 1);
}

TEST(Hosts, AreTakenAsTheUrlSaysWhereItSaysSo) {
  const auto told = connection_settings(
      "postgresql://db1,db2/x?target_session_attrs=any&connect_timeout=9"
      "&keepalives_idle=60",
      "n");
  EXPECT_EQ(told.at("target_session_attrs"), "any");
  EXPECT_EQ(told.at("connect_timeout"), "9");
  EXPECT_EQ(told.at("keepalives_idle"), "60");
}

// NET-04
TEST(Hosts, ThatVanishAreNoticedInTime) {
  const auto usual = connection_settings("postgresql://db1/x", "n");
  const auto number = [&](const char* name) {
    return std::stoi(usual.at(name));
  };
  EXPECT_LT(number("tcp_user_timeout"), 15'000);
  EXPECT_LT(number("keepalives_idle")
                + number("keepalives_interval") * number("keepalives_count"),
            15);
  EXPECT_LT(number("connect_timeout"), 15);
}

TEST(Hosts, TakeTurns) {
  auto some = connection_settings("host=a,b,c port=1,2,3 dbname=x", "n");
  some = rotated(std::move(some));
  EXPECT_EQ(some.at("host"), "b,c,a");
  EXPECT_EQ(some.at("port"), "2,3,1");
  auto same_port = connection_settings("host=a,b port=1 dbname=x", "n");
  same_port = rotated(std::move(same_port));
  EXPECT_EQ(same_port.at("host"), "b,a");
  EXPECT_EQ(same_port.at("port"), "1");
}

TEST(Hosts, ThatCantBeReadAreNotToldToAnybody) {
  try {
    connection_settings("postgresql://me:secret@[x/y", "n");
    FAIL() << "it was read";
  } catch (const error& refused) {
    EXPECT_EQ(refused.what_kind(), error::kind::broken);
    EXPECT_EQ(std::string{refused.what()}.find("secret"), std::string::npos);
  }
}

} // namespace
} // namespace postrider::store
