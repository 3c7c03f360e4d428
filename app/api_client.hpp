#pragma once

#include "core/url.hpp"
#include "net/http_client.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace postrider::app {

struct api_answer {
  int status = 0; ///< 0: no answer came, `fault` says why
  std::string body;
  std::string fault;
};

/// Calls a Postrider node's API with JSON. Thread-safe.
class api_client {
public:
  /// `token` may be empty; up to `idle` connections are kept for further
  /// requests. Throws `std::runtime_error` for a bad URL.
  api_client(const std::string& base, std::string token,
             std::chrono::milliseconds timeout = std::chrono::seconds{15},
             std::size_t idle = 32);

  using callback = std::function<void(api_answer)>;
  /// `done` is called once, on another thread, and must not block.
  void post(const std::string& path, std::string json, callback done);
  /// Waits for the answer.
  api_answer post(const std::string& path, std::string json);
  /// The same for any method; `method` is a literal.
  api_answer call(std::string_view method, const std::string& path,
                  std::string json = {});

  void stop();

private:
  void send(std::string_view method, const std::string& path, std::string json,
            callback done);

  url base_;
  std::string token_;
  std::chrono::milliseconds timeout_;
  net::http_client client_;
};

} // namespace postrider::app
