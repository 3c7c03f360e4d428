#include "net/sink.hpp"

#include "tests/support/eventually.hpp"
#include "tests/support/raw_client.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace postrider {
namespace {

using testing::raw_client;

/// A sink that keeps what it saw.
class sink_fixture : public ::testing::Test {
protected:
  struct seen_request {
    std::string target;
    std::string sequence;
    std::string body;
  };

  std::vector<seen_request> seen() {
    const std::lock_guard guard{mutex_};
    return seen_;
  }

  static std::string post(std::string_view body, std::string_view sequence) {
    return "POST /e/7?x HTTP/1.1\r\nhost: h\r\nX-Sequence:  "
           + std::string{sequence} + "\r\nContent-Length: "
           + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
  }

private:
  std::mutex mutex_;
  std::vector<seen_request> seen_;

protected:
  std::atomic<net::sink_answer> next_answer{net::sink_answer::done};
  net::sink sink{"127.0.0.1", [this](const net::sink_request& one) {
                   const std::lock_guard guard{mutex_};
                   seen_.push_back({std::string{one.target},
                                    std::string{one.header("x-sequence")},
                                    std::string{one.body}});
                   return next_answer.load();
                 }};
};

using Sink = sink_fixture;

TEST_F(Sink, ShowsEachRequestAndAnswersIt) {
  raw_client client{sink.port()};
  for (const auto* body : {"one", "", "three"}) {
    ASSERT_TRUE(client.send(post(body, "17")));
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 204);
    EXPECT_EQ(seen().back().target, "/e/7?x");
    EXPECT_EQ(seen().back().sequence, "17");
    EXPECT_EQ(seen().back().body, body);
  }
}

TEST_F(Sink, RefusesWhenToldAndServesAgainOnTheSameConnection) {
  raw_client client{sink.port()};
  for (const auto& [told, status] :
       {std::pair{net::sink_answer::unavailable, 503},
        std::pair{net::sink_answer::done, 204}}) {
    next_answer = told;
    ASSERT_TRUE(client.send(post("one", "1")));
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, status);
  }
}

TEST_F(Sink, ReadsWhatItLeavesWithoutAnAnswer) {
  raw_client client{sink.port()};
  next_answer = net::sink_answer::none;
  ASSERT_TRUE(client.send(post("lost", "1")));
  ASSERT_TRUE(testing::eventually([this] { return seen().size() == 1; }));
  next_answer = net::sink_answer::unavailable;
  ASSERT_TRUE(client.send(post("heard", "2")));
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503) << "the second's, the first got none";
}

TEST_F(Sink, AnswersWhatWaitsWhenItIsReleasedAndNotBefore) {
  raw_client patient{sink.port()};
  raw_client other{sink.port()};
  next_answer = net::sink_answer::later;
  ASSERT_TRUE(patient.send(post("slow", "1")));
  ASSERT_TRUE(testing::eventually([this] { return seen().size() == 1; }));
  next_answer = net::sink_answer::unavailable;
  ASSERT_TRUE(other.send(post("quick", "2")));
  const auto quick = other.receive();
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->status, 503);
  // Had it been answered before, this would follow as a second answer.
  ASSERT_TRUE(patient.send(post("next", "3")));
  const auto first = patient.receive();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 503) << "the third's: the first one waits";
  sink.release();
  const auto late = patient.receive();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->status, 204);
}

TEST_F(Sink, ReadsRequestsInWhateverPiecesTheyCome) {
  raw_client client{sink.port()};
  const std::string large(100'000, 'x');
  const auto bytes = post("first", "1") + post(large, "2") + post("last", "3");
  for (std::size_t at = 0; at < bytes.size(); at += 977)
    ASSERT_TRUE(client.send(bytes.substr(at, 977)));
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(client.receive());
  const auto all = seen();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].body, "first");
  EXPECT_EQ(all[1].body, large);
  EXPECT_EQ(all[2].sequence, "3");
}

TEST_F(Sink, ClosesWhatItCantRead) {
  for (const auto* bytes :
       {"GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n"}) {
    raw_client client{sink.port()};
    ASSERT_TRUE(client.send(bytes));
    EXPECT_TRUE(client.closed()) << bytes;
  }
  EXPECT_TRUE(seen().empty());
}

} // namespace
} // namespace postrider
