#include "tests/faults/fault_bench.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

struct vector {
  const char* name;
  std::string headers; ///< of the first request, each with its line end
  std::string body = "";
  std::string line = "POST /v1/events HTTP/1.1\r\n";
};

const std::string chunked = "Transfer-Encoding: chunked\r\n";
const std::string end = "0\r\n\r\n";

/// RELIABILITY 6.2: each with a request behind it that must not run.
std::vector<vector> all_vectors() {
  std::vector<vector> out{
      {"length, then chunks", "Content-Length: 5\r\n" + chunked, end},
      {"chunks, then length", chunked + "Content-Length: 5\r\n", end},
      {"length 0 and chunks", "Content-Length: 0\r\n" + chunked, end},
      {"chunks under HTTP/1.0", chunked, end, "POST /v1/events HTTP/1.0\r\n"},
      {"underscore", "Transfer_Encoding: chunked\r\nContent-Length: x\r\n",
       end},
      {"name and a space", "Transfer-Encoding : chunked\r\n", end},
      {"two codings in two lines", chunked + chunked, end},
      {"folded coding", "Transfer-Encoding:\r\n chunked\r\n", end},
      {"bare line feed", "X: 1\nContent-Length: 0\r\n"},
      {"bare carriage return", "X: 1\rContent-Length: 0\r\n"},
      {"NUL in a value", std::string{"X: a\0b\r\n", 8}},
      {"space before the colon", "X : 1\r\n"},
      {"no colon", "nothing\r\n"},
      {"empty name", ": 1\r\n"},
      {"folded header", "X: 1\r\n 2\r\n"},
      {"two hosts", "Host: other\r\n"},
      {"two spaces", "", "", "POST  /v1/events HTTP/1.1\r\n"},
      {"tab in the request line", "", "", "POST\t/v1/events HTTP/1.1\r\n"},
      {"version 1.10", "", "", "POST /v1/events HTTP/1.10\r\n"},
      {"version 01.1", "", "", "POST /v1/events HTTP/01.1\r\n"},
      {"no version", "", "", "POST /v1/events\r\n"},
      {"other host in the target", "", "",
       "POST http://other/v1/events HTTP/1.1\r\n"},
      {"high byte in the target", "", "", "POST /v1/\x80 HTTP/1.1\r\n"},
      {"HTTP/2", "", "", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"TLS", "", "", std::string{"\x16\x03\x01\x02\x00\x01", 6}}};
  for (const auto* coding :
       {"gzip", "chunked, gzip", "gzip, chunked", "identity", "xchunked",
        "chunked,", ", chunked", "\"chunked\"", "chunked;q=1", "\vchunked"})
    out.push_back(
        {"coding", fmt::format("Transfer-Encoding: {}\r\n", coding), end});
  for (const auto* length :
       {"5, 5", "+5", "-0", "0x5", "5a", "", "18446744073709551621", "5 5",
        "99999999999999999999", "5\r\nContent-Length: 6"})
    out.push_back(
        {"length", fmt::format("Content-Length: {}\r\n", length), "12345"});
  for (const auto* chunk :
       {"ffffffffffffffff\r\n", "7fffffffffffffffff\r\n", "0x2\r\nab\r\n0\r\n",
        "+2\r\nab\r\n", "-2\r\nab\r\n", " 2\r\nab\r\n", "\r\nab\r\n", "g\r\n",
        "2\r\nab0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n", "2\nab\r\n0\r\n\r\n",
        "2;a\nb\r\nab\r\n0\r\n\r\n"})
    out.push_back({"chunk", chunked, chunk});
  return out;
}

std::string hidden(const platform& here, const std::string& key) {
  const auto body = fmt::format(
      R"({{"tenant":"acme","type":"a.b","id":"{}","payload":1}})", key);
  return fmt::format("POST /v1/events HTTP/1.1\r\nHost: h\r\nAuthorization: "
                     "Bearer {}\r\nContent-Type: application/json\r\n"
                     "Content-Length: {}\r\n\r\n{}",
                     here.key(), body.size(), body);
}

std::string request(const platform& here, const vector& one) {
  return one.line + "Host: h\r\nAuthorization: Bearer " + here.key()
         + "\r\nContent-Type: application/json\r\n" + one.headers + "\r\n"
         + one.body;
}

// K-01, ING-02, ING-03, ING-05: the hidden request of a smuggler never runs;
// behind a good one it does.
TEST(Smuggling, RunsNoHiddenRequest) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  auto& node = bench.start();
  auto& here = bench.here();
  here.tenant();
  const auto vectors = all_vectors();
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    SCOPED_TRACE(fmt::format("{} {}: {}", i, vectors[i].name,
                             vectors[i].headers + vectors[i].body));
    raw_client client{node.api_port(), 5s};
    const auto marker = hidden(here, fmt::format("hidden-{}", i));
    client.send(request(here, vectors[i]) + marker);
    const auto got = client.receive();
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->status == 400 || got->status == 501 || got->status == 505)
        << got->status << " " << got->body;
    client.send(marker);
    client.half_close();
    EXPECT_TRUE(client.closed());
  }
  const auto ran = here.sql("select count(*) from postrider.event");
  EXPECT_EQ(ran, "0");
  fmt::print("K-01 hidden requests executed: {} of {}\n", ran, vectors.size());
  // The healthy twin.
  raw_client client{node.api_port(), 5s};
  client.send(hidden(here, "first") + hidden(here, "second"));
  for (int i = 0; i < 2; ++i) {
    const auto got = client.receive();
    EXPECT_TRUE(got && got->status == 201);
  }
  EXPECT_EQ(here.sql("select count(*) from postrider.event"), "2");
}

} // namespace
} // namespace postrider::testing
