#pragma once

#include "net/http_server.hpp"
#include "tests/support/raw_client.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace postrider {

/// A server that records what reaches its handler and answers with the body.
class http_server_test : public ::testing::Test {
protected:
  void serve(net::http_server_options options = {}) {
    options.refuse = [](int status, std::string_view detail) {
      return net::server_response{status, {}, std::string{detail}};
    };
    serve(std::move(options), [](net::server_request request,
                                 const net::http_server::respond& respond) {
      respond({200, {}, std::move(request.body)});
    });
  }

  void serve(net::http_server_options options, net::http_server::handler then) {
    server_ = std::make_unique<net::http_server>(
        std::move(options),
        [this, then = std::move(then)](net::server_request request,
                                       net::http_server::respond respond) {
          {
            std::lock_guard lock{mutex_};
            requests_.push_back(request);
          }
          then(std::move(request), std::move(respond));
        });
    server_->start();
  }

  std::uint16_t port() const { return server_->port(); }

  std::vector<net::server_request> requests() {
    std::lock_guard lock{mutex_};
    return requests_;
  }

  bool was_asked_for(std::string_view target) {
    for (const auto& request : requests())
      if (request.target == target)
        return true;
    return false;
  }

  std::unique_ptr<net::http_server> server_;

private:
  std::mutex mutex_;
  std::vector<net::server_request> requests_;
};

} // namespace postrider
