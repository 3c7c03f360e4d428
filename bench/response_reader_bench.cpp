#include "net/client/response_reader.hpp"

#include <benchmark/benchmark.h>

#include <string_view>

namespace postrider::net::client {
namespace {

void read(benchmark::State& state, std::string_view bytes) {
  const response_limits limits;
  for (auto step : state) {
    response_reader reader{limits};
    reader.feed(bytes);
    if (!reader.reusable()) {
      state.SkipWithError("the response did not end well");
      break;
    }
    attempt_result result;
    reader.move_into(result);
    benchmark::DoNotOptimize(result);
  }
}

void read_bare_response(benchmark::State& state) {
  read(state, "HTTP/1.1 204 No Content\r\n\r\n");
}
BENCHMARK(read_bare_response);

/// As a web server behind a proxy answers.
void read_common_response(benchmark::State& state) {
  read(state, "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 29 Nov 2026 "
              "20:00:00 GMT\r\nContent-Type: application/json\r\n"
              "Content-Length: 15\r\nConnection: keep-alive\r\n"
              "X-Request-Id: 7f3a1c\r\nStrict-Transport-Security: "
              "max-age=31536000\r\n\r\n{\"ok\": true,  }");
}
BENCHMARK(read_common_response);

void read_chunked_response(benchmark::State& state) {
  read(state, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
}
BENCHMARK(read_chunked_response);

} // namespace
} // namespace postrider::net::client
