#include "tests/e2e/platform.hpp"

#include "tests/support/certificates.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Memory of a node that stands in RAM, in KiB.
std::int64_t resident(const node_process& node) {
  std::ifstream status{fmt::format("/proc/{}/status", node.pid())};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:"))
      return std::stoll(line.substr(6));
  return 0;
}

script endless(const std::string& head, std::string piece,
               std::chrono::milliseconds pause_between = 0ms) {
  script out{{step::kind::write, head, {}}};
  if (pause_between == 0ms) {
    out.push_back({step::kind::endless, std::move(piece), {}});
    return out;
  }
  for (int i = 0; i < 60; ++i) {
    out.push_back({step::kind::write, piece, {}});
    out.push_back({step::kind::pause, "", pause_between});
  }
  return out;
}

// RESP-13: two hundred at once that send without end.
TEST(OddResponses, WithoutEndCostABoundedPieceOfMemoryEach) {
  const std::string piece(64 << 10, 'x');
  receiver shop{[&](const arrival& got) -> script {
    if (got.target == "/length")
      return endless("HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n",
                     piece);
    if (got.target == "/chunked")
      return endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                     "10000\r\n" + piece + "\r\n");
    if (got.target == "/error")
      return answer(500, std::string(131'073, 'e'));
    return endless("HTTP/1.1 200 OK\r\n\r\n", "x", 1s);
  }};
  platform here;
  auto& node = here.start({{"HEALTH__DEGRADED_AFTER", "1000"},
                           {"HEALTH__FAILURE_RATIO", "2"}}); // all are sent
  here.tenant();
  const auto paths = {"/length", "/chunked", "/error", "/dribble"};
  for (const auto* path : paths)
    here.endpoint(shop.url(path), "*",
                  R"("ordering":"none","max_in_flight":50,"retry":"1h")");
  here.send("warm.up", "{}");
  ASSERT_TRUE(eventually([&] {
    return here.sql("select count(*) from postrider.attempt") == "4";
  }));
  const auto before = resident(node);
  std::string batch;
  for (int i = 0; i < 50; ++i)
    batch +=
        (i ? "," : "[")
        + fmt::format(R"({{"tenant":"acme","type":"a.b","payload":{}}})", i);
  ASSERT_EQ(here.call("POST", "/v1/events/batch", batch + "]").status, 200);
  ASSERT_TRUE(shop.wait_for(204));
  const auto most = resident(node);
  // Nobody waits for an end that does not come.
  EXPECT_TRUE(eventually([&] {
    return here.sql("select count(*) from postrider.attempt") == "204";
  }));
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final "
                     "and outcome = 'succeeded' and number = 0"),
            "153");
  EXPECT_EQ(shop.arrivals().size(), 204u);
  EXPECT_EQ(here.sql("select max(length(response)) <= 16384 from "
                     "postrider.attempt where status = 500"),
            "t");
  EXPECT_LT(std::max(most, resident(node)) - before, 200 * 64);
}

/// What compresses 256 MiB of zeros.
std::string bomb() {
  std::unique_ptr<FILE, int (*)(FILE*)> from{
      popen("head -c 268435456 /dev/zero | gzip -1", "r"), pclose};
  std::string out;
  char buffer[16 << 10];
  while (const auto got = fread(buffer, 1, sizeof buffer, from.get()))
    out.append(buffer, got);
  return out;
}

// RESP-14
TEST(OddResponses, ThatAreCompressedStayAsTheyAre) {
  const auto body = bomb();
  ASSERT_GT(body.size(), 200'000u);
  receiver shop{[&](const arrival& got) {
    return answer(got.target == "/bad" ? 400 : 200, body,
                  {{"Content-Encoding", "gzip"}});
  }};
  platform here;
  auto& node = here.start();
  here.tenant();
  here.endpoint(shop.url("/good"));
  here.endpoint(shop.url("/bad"));
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  const auto before = resident(node);
  for (int i = 0; i < 10; ++i)
    here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  EXPECT_LT(resident(node) - before, 10 * 1024);
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final "
                     "and outcome = 'succeeded'"),
            "11");
  EXPECT_EQ(here.sql("select max(octet_length(response)) <= 16384 "
                     "from postrider.attempt"),
            "t");
  EXPECT_EQ(shop.arrivals().size(), 22u);
  EXPECT_EQ(shop.arrivals()[0].find("accept-encoding"), "");
}

// LOAD-07: what a connection over TLS took is given back. Two million in the
// long form of the case; one context serves all, so few show it.
TEST(OddResponses, OverTlsLeakNothing) {
  const int rounds = std::getenv("POSTRIDER_LONG") ? 100 : 3;
  certificates authority;
  const auto files = authority.issue({.names = {"IP:127.0.0.1"}});
  receiver::options options;
  options.tls = true;
  options.certificate = files.certificate;
  options.key = files.key;
  receiver shop{[](const arrival&) -> script {
                  return {{step::kind::write,
                           "HTTP/1.1 204 No Content\r\n"
                           "Connection: close\r\n\r\n",
                           {}},
                          {step::kind::close, "", {}}};
                },
                options};
  platform here;
  auto& node = here.start({{"HTTP__CA_FILE", authority.ca_file()}});
  here.tenant();
  for (int i = 0; i < 10; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*", R"("ordering":"none")");
  const auto send = [&](int events) {
    here.sql(fmt::format("select postrider.publish('acme', 'a.b', "
                         "'{{}}'::text) from generate_series(1, {})",
                         events));
    ASSERT_TRUE(here.settled());
  };
  // As many at once as there will ever be is a matter of chance in each round.
  constexpr int warm_up = 4;
  for (int i = 0; i < warm_up; ++i)
    send(50);
  const auto before = resident(node);
  for (int i = 0; i < rounds; ++i)
    send(50);
  EXPECT_LT(resident(node) - before, 4 * 1024)
      << "after " << rounds * 500 << " handshakes";
  EXPECT_EQ(shop.connections(), (rounds + warm_up) * 500);
}

// RESP-10: what can never succeed is tried once, and costs little to keep.
TEST(OddResponses, ThatRefuseForGoodLeaveOneSmallRowEach) {
  receiver shop{
      [](const arrival&) { return answer(422, std::string(100'000, 'n')); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("ordering":"none")");
  here.sql("select postrider.publish('acme', 'a.b', '{}'::text) "
           "from generate_series(1, 1000)");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 1000u);
  EXPECT_EQ(here.sql("select count(*) || ' ' || count(distinct delivery) "
                     "from postrider.attempt where final"),
            "1000 1000");
  EXPECT_EQ(here.sql("select max(pg_column_size(a.*)) < 4096 + 512 "
                     "from postrider.attempt a"),
            "t");
  EXPECT_EQ(here.sql("select count(*) from postrider.delivery"), "0");
}

} // namespace
} // namespace postrider::testing
