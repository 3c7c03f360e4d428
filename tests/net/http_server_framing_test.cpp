#include "tests/net/http_server_fixture.hpp"

namespace postrider {
namespace {

using testing::raw_client;

// The request that a smuggler hides behind a malformed one.
constexpr auto marker = "GET /marker HTTP/1.1\r\nHost: h\r\n\r\n";

class http_server_framing : public http_server_test {
protected:
  void SetUp() override { serve(); }

  /// Two-stage probe: the answer, then the marker; it must not be executed.
  void expect_refused(const std::string& bytes, std::vector<int> allowed) {
    SCOPED_TRACE(bytes.substr(0, 200));
    raw_client client{port(), std::chrono::seconds{5}};
    client.send(bytes + marker);
    auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), answer->status),
              allowed.end())
        << answer->status << ' ' << answer->body;
    EXPECT_EQ(answer->find("connection"), "close");
    client.send(marker);
    client.half_close();
    EXPECT_TRUE(client.closed());
    EXPECT_FALSE(was_asked_for("/marker"));
  }

  void expect_headers_refused(const std::string& headers,
                              std::vector<int> allowed = {400}) {
    expect_refused("POST /first HTTP/1.1\r\nHost: h\r\n" + headers
                       + "\r\n\r\n0\r\n\r\n",
                   std::move(allowed));
    EXPECT_FALSE(was_asked_for("/first"));
  }

  void expect_chunks_refused(const std::string& body,
                             std::vector<int> allowed = {400}) {
    expect_refused(
        "POST /first HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + body,
        std::move(allowed));
    EXPECT_FALSE(was_asked_for("/first"));
  }
};

// ING-02, K-01, RELIABILITY 6.2 no. 1 and 2
TEST_F(http_server_framing, RefusesEveryTransferEncodingButChunked) {
  for (auto value : {"chunked, gzip", "gzip", "xchunked", "identity",
                     "chunked,", ", chunked", "\"chunked\"", "chunked;q=1",
                     "\vchunked", "chun\tked", "chunked, chunked"})
    expect_headers_refused(std::string{"Transfer-Encoding: "} + value,
                           {400, 501});
  expect_headers_refused("Transfer-Encoding: gzip, chunked", {501});
  expect_headers_refused("Transfer-Encoding: gzip\r\nContent-Length: 5");
  expect_headers_refused("Transfer-Encoding: identity\r\nContent-Length: 2",
                         {400, 501});
  expect_headers_refused("Transfer-Encoding : chunked");
  expect_headers_refused("Transfer-Encoding:\r\n chunked");
  expect_headers_refused("Transfer_Encoding: chunked");
  expect_headers_refused(
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked");
  for (auto length : {"0", "5"}) {
    auto field = std::string{"Content-Length: "} + length;
    expect_headers_refused("Transfer-Encoding: chunked\r\n" + field);
    expect_headers_refused(field + "\r\nTransfer-Encoding: chunked");
  }
  expect_refused("POST /first HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "0\r\n\r\n",
                 {400});
}

// ING-03, RELIABILITY 6.2 no. 3
TEST_F(http_server_framing, RefusesEveryContentLengthButOnePlainNumber) {
  for (auto field :
       {"Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: x", "Content-Length: 5, 5",
        "Content-Length: +5", "Content-Length: -1", "Content-Length: -0",
        "Content-Length: 05", "Content-Length: 0x5", "Content-Length: 5 5",
        "Content-Length: 5a", "Content-Length: 18446744073709551621",
        "Content-Length: 99999999999999999999", "Content-Length:\r\n 5",
        "Content-Length: ", "Content-Length:", "Content_Length: 5"})
    expect_headers_refused(field);
}

// ING-05, RELIABILITY 6.2 no. 4
TEST_F(http_server_framing, RefusesOddChunks) {
  for (auto line :
       {"ffffffffffffffff", "7fffffff", "10000000000000002", "0x2", "+2", "-2",
        " 2", "2 ", "2\t", "", "g", "2;a=\"x", "00000000000000002", "2;a\nb"})
    expect_chunks_refused(std::string{line} + "\r\nab\r\n0\r\n\r\n");
  expect_chunks_refused("2;" + std::string(64 * 1024, 'e')
                        + "\r\nab\r\n0\r\n\r\n");
  expect_chunks_refused("2\r\nabX\r\n0\r\n\r\n");
  expect_chunks_refused("2\r\nab0\r\n\r\n");
  expect_chunks_refused("2\nab\r\n0\r\n\r\n");
  expect_chunks_refused("2\r\nab\n0\r\n\r\n");
  for (auto line : {"0;a\rb", "0;a\"b", "0;\x01", "0 ", "0x", "0;a\nb"})
    expect_chunks_refused(std::string{line} + "\r\n\r\n");
  for (auto trailer : {"bad trailer", "A: b\r\n folded", " A: b", "A : b",
                       "A: b\nC: d", "A: b\rC: d", ": b", "A: \x01"})
    expect_chunks_refused(std::string{"0\r\n"} + trailer + "\r\n\r\n");
  expect_chunks_refused("0\r\nA: " + std::string(9000, 'x') + "\r\n\r\n",
                        {431});
}

// ING-05: a line of a chunk is bounded, and so is what it may announce.
TEST_F(http_server_framing, BoundsTheLineOfAChunkExactly) {
  const auto digits = [](std::size_t zeros) {
    return std::string(zeros, '0') + "2";
  };
  const std::string extension = ";" + std::string(255, 'e');
  auto answer = testing::exchange(
      port(), "POST /good HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked"
              "\r\n\r\n"
                  + digits(15) + extension + "\r\nab\r\n0\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "ab");
  expect_chunks_refused(digits(16) + "\r\nab\r\n0\r\n\r\n");
  expect_chunks_refused("2" + extension + "e\r\nab\r\n0\r\n\r\n");
  // Refused before the line ends, and by its announcement alone.
  expect_chunks_refused(std::string(4096, '0'));
  expect_chunks_refused("7fffffff\r\n");
}

// RELIABILITY 6.2 no. 5 and 6
TEST_F(http_server_framing, RefusesOddLinesAndHeaders) {
  for (auto field : {"A: b\nC: d", "A: b\rC: d", "A\r: b", "A : b", ": b",
                     "A b: c", "noline", "A: b\r\n folded", "A: b\r\n\tfolded",
                     "\xc3\xa9: x", "Host: again", "A: b\x01", "A: b\x7f"})
    expect_headers_refused(field);
  using namespace std::string_literals;
  expect_headers_refused("A: b\0c"s);
  expect_headers_refused("A\0: b"s);
  expect_refused("GET / HTTP/1.1\nHost: h\n\n", {400});
  expect_refused("GET / HTTP/1.1\r\nHost: h\r\n\n", {400});
}

// It does not wait for the CRLF that would end the head.
TEST_F(http_server_framing, RefusesAnUnfinishedHeadAsSoonAsItCan) {
  for (auto bytes : {"GET / HTTP/1.1\nHost: h\n\n", "GET /\r\n", "get"}) {
    raw_client client{port(), std::chrono::seconds{5}};
    client.send(bytes);
    auto answer = client.receive();
    ASSERT_TRUE(answer) << bytes;
    EXPECT_EQ(answer->status, 400) << bytes;
  }
}

// RELIABILITY 6.2 no. 6
TEST_F(http_server_framing, WantsExactlyOneWellFormedHost) {
  expect_refused("GET / HTTP/1.1\r\n\r\n", {400});
  for (auto host : {"", "h:0", "h:65536", "h:", "h:+1", "h/path", "u@h", "a,b",
                    "a b", "[::1", "[zz]", "h:80:80"})
    expect_refused(std::string{"GET / HTTP/1.1\r\nHost: "} + host + "\r\n\r\n",
                   {400});
  for (auto host : {"h", "h:80", "127.0.0.1:1", "[::1]:8080", "a-b.c_d"}) {
    auto answer = testing::exchange(
        port(), std::string{"GET / HTTP/1.1\r\nHost: "} + host + "\r\n\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << host;
  }
}

// K-09, RELIABILITY 6.2 no. 7
TEST_F(http_server_framing, RefusesOddRequestLines) {
  auto with = [](const std::string& line) {
    return line + "\r\nHost: h\r\n\r\n";
  };
  for (auto line :
       {"GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/\tHTTP/1.1",
        "GET / HTTP/1.10", "GET / HTTP/01.1", "GET / http/1.1", "GET /",
        "GET http://other/x HTTP/1.1", "GET other:80 HTTP/1.1",
        "GET * HTTP/1.1", "get / HTTP/1.1", "GET /\x80 HTTP/1.1",
        "GET /a#b HTTP/1.1", "GET", " GET / HTTP/1.1", "GET x/ HTTP/1.1"})
    expect_refused(with(line), {400});
  expect_refused(with(std::string(1000, 'A') + " / HTTP/1.1"), {400});
  expect_refused(with("GET / HTTP/2.0"), {505});
  expect_refused(with("GET / HTTP/1.2"), {505});
  expect_refused(with("CONNECT other:443 HTTP/1.1"), {405});
  expect_refused(with("GET /" + std::string(9000, 'a') + " HTTP/1.1"), {414});
}

// RELIABILITY 6.2 no. 11
TEST_F(http_server_framing, RefusesOtherProtocolsOnItsPort) {
  expect_refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {505});
  expect_refused({"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11}, {400});
}

// RELIABILITY 6.2 no. 8
TEST_F(http_server_framing, DropsTrailers) {
  auto answer = testing::exchange(
      port(),
      "POST /first HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
      "\r\n2;x=y\r\nab\r\n0\r\nContent-Length: 7\r\n"
      "Authorization: Bearer k\r\nIdempotency-Key: k\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "ab");
  ASSERT_EQ(requests().size(), 1u);
  EXPECT_FALSE(requests()[0].find("authorization"));
  EXPECT_FALSE(requests()[0].find("idempotency-key"));
}

// RELIABILITY 6.2 no. 10, K-08
TEST_F(http_server_framing, ParsesNothingAfterAFault) {
  raw_client client{port()};
  client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
              "GET /b HTTP/1.1\r\nHost : h\r\n\r\n"
              "GET /c HTTP/1.1\r\nHost: h\r\n\r\n");
  auto first = client.receive();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 200);
  auto second = client.receive();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 400);
  client.half_close();
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(requests().size(), 1u);
}

// K-12
TEST_F(http_server_framing, ReadsTheSameWhereverTheBytesAreSplit) {
  std::string bytes = "POST /x HTTP/1.1\r\nHost: h\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n"
                      "3;e\r\nabc\r\n1\r\nd\r\n0\r\nA: b\r\n\r\n";
  raw_client client{port()};
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    client.send(bytes.substr(0, i));
    client.send(bytes.substr(i));
    auto answer = client.receive();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->status, 200) << i;
    EXPECT_EQ(answer->body, "abcd") << i;
  }
  for (auto c : bytes)
    client.send({&c, 1});
  auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "abcd");
}

} // namespace
} // namespace postrider
