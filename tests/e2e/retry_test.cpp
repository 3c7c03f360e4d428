#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Answers with the status that stands in the path.
script by_path(const arrival& got) {
  return answer(std::stoi(got.target.substr(1)), "",
                {{"Location", "/elsewhere"}});
}

std::string final_of(const platform& here, const std::string& path) {
  return here.sql(
      "select a.outcome || ':' || coalesce(a.reason, '') || ':' || a.number "
      "from postrider.attempt a join postrider.endpoint e on e.id = a.endpoint "
      "where a.final and e.url like '%"
      + path + "'");
}

std::map<std::string, int> arrivals_by_path(const receiver& at) {
  std::map<std::string, int> out;
  for (const auto& one : at.arrivals())
    ++out[one.target];
  return out;
}

// S3.58, RESP-10, RESP-11, URL-12
TEST(Retry, WhatNoRetryCanMendFailsAtOnceWithItsReason) {
  const std::map<int, std::string> reasons{
      {301, "redirected"}, {302, "redirected"}, {304, "redirected"},
      {307, "redirected"}, {400, "rejected"},   {401, "rejected"},
      {403, "rejected"},   {405, "rejected"},   {410, "gone"},
      {413, "rejected"},   {422, "rejected"},
  };
  receiver shop{by_path};
  platform here;
  here.start();
  here.tenant();
  for (const auto& [status, reason] : reasons)
    here.endpoint(shop.url(fmt::format("/{}", status)), "*",
                  R"("retry":"50ms 50ms")");
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  const auto seen = arrivals_by_path(shop);
  EXPECT_EQ(seen.size(), reasons.size()) << "no redirect was followed";
  for (const auto& [status, reason] : reasons) {
    const auto path = fmt::format("/{}", status);
    EXPECT_EQ(seen.at(path), 1) << path;
    EXPECT_EQ(final_of(here, path), "failed:" + reason + ":0");
  }
}

/// All but what tells one attempt from another.
std::map<std::string, std::string> lasting_headers(const arrival& of) {
  std::map<std::string, std::string> out;
  for (const auto& one : of.headers)
    out[one.name] = one.value;
  for (const auto* own :
       {"webhook-timestamp", "webhook-signature", "X-Postrider-Attempt"})
    EXPECT_EQ(out.erase(own), 1u) << own;
  return out;
}

// DESIGN 4.8: the first attempt is made with what the ingester handed over, the
// second with what was read.
TEST(Retry, SendsWhatTheFirstAttemptHasSent) {
  std::atomic<int> calls = 0;
  receiver shop{
      [&](const arrival&) { return answer(++calls % 2 == 0 ? 200 : 503); }};
  platform here;
  const auto& node = here.start();
  here.tenant();
  here.endpoint(shop.url("/"), "*", R"("retry":"30ms")");
  // It has read all there is then, and knows the endpoint.
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  here.send("a.b", R"({ "n" : 1.0 })",
            R"("headers":{"X-Long-Name":"1","x-b":"2, 3","X-A":""},)"
            R"("ordering_key":"k","correlation_id":"c","producer":"p",)"
            R"("schema_version":"7")");
  ASSERT_TRUE(here.settled());
  const auto seen = shop.arrivals();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[2].body, R"({ "n" : 1.0 })");
  EXPECT_EQ(seen[3].body, seen[2].body);
  EXPECT_EQ(lasting_headers(seen[3]), lasting_headers(seen[2]));
  EXPECT_EQ(lasting_headers(seen[2]).at("x-b"), "2, 3");
  const auto page = here.call(node, "READY", "/metrics").body;
  const std::string metric = "\npostrider_deliveries_handed_over_total ";
  EXPECT_NE(page.find(metric), std::string::npos);
  EXPECT_EQ(page.find(metric + "0\n"), std::string::npos) << "it was read";
}

// S1.23, S1.56, S3.57, S3.59: up to the end of the ladder and no further.
TEST(Retry, WhatMayPassIsRetriedUntilTheLadderIsExhausted) {
  receiver shop{by_path};
  platform here;
  here.start();
  here.tenant();
  const auto retried = {404, 408, 425, 429, 500, 502, 503, 504, 599};
  for (const auto status : retried)
    here.endpoint(shop.url(fmt::format("/{}", status)), "*",
                  R"("retry":"30ms 30ms")");
  auto gone = std::make_unique<receiver>(by_path);
  here.endpoint(gone->url("/refused"), "*", R"("retry":"30ms 30ms")");
  gone.reset();
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  const auto seen = arrivals_by_path(shop);
  for (const auto status : retried) {
    const auto path = fmt::format("/{}", status);
    EXPECT_EQ(seen.at(path), 3) << path;
    EXPECT_EQ(final_of(here, path), "failed:exhausted:2");
  }
  EXPECT_EQ(final_of(here, "/refused"), "failed:exhausted:2");
  EXPECT_EQ(here.sql("select error from postrider.attempt a "
                     "join postrider.endpoint e on e.id = a.endpoint "
                     "where a.final and e.url like '%/refused'"),
            "connect_refused");
  // Each attempt stands once in the record.
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt"), "30");
  EXPECT_EQ(here.sql("select count(distinct (delivery, number)) "
                     "from postrider.attempt"),
            "30");
}

// RESP-07: seconds and a date push later.
TEST(Retry, RetryAfterPushesTheNextAttemptLater) {
  receiver shop{[](const arrival& got) {
    if (got.find("X-Postrider-Attempt") != "0")
      return answer(204);
    const auto date = fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}",
                                  fmt::gmtime(std::time(nullptr) + 3));
    std::string wait = "soon";
    if (got.target == "/date")
      wait = date;
    else if (got.target == "/wait")
      wait = "2";
    return answer(503, "", {{"retry-after", wait}});
  }};
  platform here;
  here.start();
  here.tenant();
  for (const auto* path : {"/date", "/wait", "/none"})
    here.endpoint(shop.url(path), "*", R"("retry":"50ms")");
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  std::map<std::string, std::vector<std::chrono::steady_clock::time_point>> at;
  for (const auto& one : shop.arrivals())
    at[one.target].push_back(one.at);
  ASSERT_EQ(at["/date"].size(), 2u);
  ASSERT_EQ(at["/wait"].size(), 2u);
  ASSERT_EQ(at["/none"].size(), 2u);
  // A date has whole seconds: three from now is more than two.
  EXPECT_GE(at["/date"][1] - at["/date"][0], 1900ms);
  EXPECT_GE(at["/wait"][1] - at["/wait"][0], 2000ms);
  EXPECT_LT(at["/none"][1] - at["/none"][0], 1500ms);
}

// RESP-08: never sooner than the ladder and never later than the cap.
TEST(Retry, RetryAfterOfAnySizeStaysBetweenTheLadderAndTheCap) {
  const std::vector<std::string> values{"-1",
                                        "0",
                                        "2147484",
                                        "4294967296",
                                        "9223372037",
                                        "9223372036854775807",
                                        "99999999999999999999",
                                        "Mon, 01 Jan 2035 00:00:00 GMT",
                                        "Wed, 31 Dec 2025 23:00:00 GMT",
                                        "1e3",
                                        "0x10",
                                        "120, 120"};
  receiver shop{[&](const arrival& got) {
    return answer(
        503, "",
        {{"Retry-After", values.at(std::stoul(got.target.substr(1)))}});
  }};
  platform here;
  here.start({{"DELIVERY__RETRY_AFTER_MAX", "30m"}});
  here.tenant();
  for (std::size_t i = 0; i < values.size(); ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*", R"("retry":"5m 5m")");
  here.send("a.b", "{}");
  const auto all = fmt::format("{}", values.size());
  ASSERT_TRUE(eventually([&] {
    return here.sql("select count(*) from postrider.delivery "
                    "where state = 'retrying'")
           == all;
  }));
  EXPECT_EQ(here.sql("select count(*) from postrider.delivery where due_at "
                     "between now() + '4 min' and now() + '30 min'"),
            all);
  EXPECT_EQ(here.sql("select count(*) from postrider.delivery "
                     "where due_at > now() + '29 min'"),
            "6");
}

// S3.9, S3.10: one delivery, one arrival.
TEST(Retry, A2xxThatStallsItsBodyIsOneArrival) {
  receiver shop{[](const arrival& got) {
    const std::string head =
        got.target == "/length"
            ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
        : got.target == "/chunked"
            ? "HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nX-Half: "; // the head itself never ends
    return script{{step::kind::write, head, {}},
                  {step::kind::pause, "", 60s},
                  {step::kind::close, "", {}}};
  }};
  platform here;
  here.start();
  here.tenant();
  for (const auto* path : {"/length", "/chunked", "/head"})
    here.endpoint(shop.url(path), "*",
                  R"("retry":"50ms 50ms 50ms","timeout_seconds":1)");
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 3u);
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt "
                     "where final and outcome = 'succeeded' and number = 0"),
            "3");
}

// URL-12, and the guard of DESIGN 7: its refusal is final and nothing dials.
// URL-14: at once, so that no queue grows.
TEST(Retry, ABlockedAddressIsFinalAndNoConnectionIsMade) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start({{"GUARD__ALLOW", "10.255.255.0/24"}});
  here.tenant();
  here.endpoint(fmt::format("http://localhost:{}/", shop.port()), "*",
                R"("retry":"50ms 50ms")");
  // One that was let in when the guard was another.
  here.endpoint("http://receiver.example/", "planted");
  here.sql(fmt::format("update postrider.endpoint set url = "
                       "'http://127.0.0.1:{}/' where url like "
                       "'%receiver.example/' returning 1",
                       shop.port()));
  here.send("planted", "{}");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final "
                     "and outcome = 'failed' and reason = 'blocked_address'"),
            "2");
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt"), "2");
  EXPECT_EQ(shop.connections(), 0);
}

// LIFE-02, SIG-07
TEST(Retry, GoesToTheAddressThatTheEndpointHasNow) {
  receiver old{[](const arrival&) { return answer(503); }};
  receiver fresh{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  const auto id = here.endpoint(old.url(), "*", R"("retry":"1s")");
  here.send("a.b", "{}");
  ASSERT_TRUE(old.wait_for(1));
  ASSERT_EQ(here.call("PATCH", "/v1/endpoints/" + id,
                      "{\"url\":\"" + fresh.url("/new") + "\"}")
                .status,
            200);
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(old.arrivals().size(), 1u);
  const auto seen = sightings(fresh);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].attempt, 1);
  EXPECT_EQ(seen[0].id, sightings(old)[0].id);
  const auto record =
      here.call("GET", "/v1/deliveries/" + seen[0].id + "/attempts").body;
  const auto before = record.find("\"origin\":\"" + old.url(""));
  const auto after = record.find("\"origin\":\"" + fresh.url(""));
  EXPECT_NE(after, std::string::npos) << record;
  EXPECT_LT(before, after) << record;
}

// H-01: what is in flight ends and is recorded; the rest is cancelled on
// record, retries that wait included.
TEST(Retry, DeletingAnEndpointCancelsTheRestOnRecord) {
  receiver shop{[](const arrival& got) {
    if (got.body == "0")
      return answer(503);
    return script{{step::kind::pause, "", 700ms},
                  {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
                  {step::kind::keep, "", {}}};
  }};
  platform here;
  here.start();
  here.tenant();
  const auto id = here.endpoint(shop.url(), "*", R"("retry":"5m 5m")");
  for (int i = 0; i < 50; ++i)
    here.send("a.b", fmt::format("{}", i));
  ASSERT_TRUE(shop.wait_for(2));
  ASSERT_EQ(here.call("DELETE", "/v1/endpoints/" + id).status, 204);
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final"),
            "50");
  EXPECT_EQ(here.sql("select count(distinct delivery) from postrider.attempt"),
            "50");
  EXPECT_LE(shop.arrivals().size(), 4u);
  const auto arrived = static_cast<int>(shop.arrivals().size());
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final "
                     "and outcome = 'succeeded'"),
            fmt::format("{}", arrived - 1));
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final and "
                     "outcome = 'cancelled' and reason = 'endpoint_deleted'"),
            fmt::format("{}", 51 - arrived));
}

// S3.64: past its deadline it is given up before the next attempt.
TEST(Retry, PastItsDeadlineItFailsAsExpiredWithoutAnotherArrival) {
  receiver shop{[](const arrival&) { return answer(503); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("retry":"5m 5m")");
  here.send("a.b", "{}");
  ASSERT_TRUE(eventually([&] {
    return here.sql("select state from postrider.delivery") == "retrying";
  }));
  here.sql("update postrider.delivery set due_at = now(), "
           "deadline = now() - interval '1 s' returning 1");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 1u);
  EXPECT_EQ(here.sql("select outcome || ':' || reason || ':' || sent "
                     "from postrider.attempt where final"),
            "failed:expired:false");
}

} // namespace
} // namespace postrider::testing
