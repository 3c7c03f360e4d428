#include "net/http_server.hpp"

#include "net/server/connection.hpp"
#include "net/server/loop.hpp"
#include "net/server/wire.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <future>
#include <stdexcept>

namespace postrider::net {

namespace asio = boost::asio;
using asio::ip::tcp;

std::optional<std::string_view>
server_request::find(std::string_view name) const {
  for (const auto& field : headers)
    if (same_header_name(field.name, name))
      return field.value;
  return {};
}

namespace {

http_server_options with_defaults(http_server_options options) {
  options.threads = std::max<std::size_t>(options.threads, 1);
  if (!options.refuse)
    options.refuse = [](int status, std::string_view detail) {
      return server_response{
          status, {{"Content-Type", "text/plain"}}, std::string{detail} + "\n"};
    };
  return options;
}

/// How long accepting rests when the process is out of descriptors.
constexpr std::chrono::milliseconds accept_pause{100};

} // namespace

class http_server::impl {
public:
  impl(http_server_options options, handler handle)
      : shared_{std::make_shared<server::shared_state>()} {
    shared_->options = with_defaults(std::move(options));
    shared_->handle = std::move(handle);
    shared_->body_limit = shared_->options.body_limit;
    for (std::size_t i = 0; i < shared_->options.threads; ++i)
      loops_.push_back(std::make_shared<server::loop>(shared_));
    acceptor_.emplace(loops_.front()->context());
    pause_.emplace(loops_.front()->context());
    listen();
  }

  ~impl() { stop(std::chrono::milliseconds{0}); }

  void start() {
    accept();
    for (auto& loop : loops_)
      loop->start();
    started_ = true;
  }

  void limit_body(std::size_t bytes) { shared_->body_limit = bytes; }

  std::uint16_t port() const { return port_; }

  std::size_t connections() const { return shared_->connections; }

  std::vector<const loop_meters*> meters() const {
    std::vector<const loop_meters*> out;
    for (const auto& loop : loops_)
      out.push_back(&loop->meters());
    return out;
  }

  void stop(std::chrono::milliseconds grace) {
    if (std::exchange(stopped_, true))
      return;
    shared_->stopping = true;
    if (started_)
      stop_accepting();
    auto end = server::loop::clock::now() + grace;
    while (shared_->connections != 0 && server::loop::clock::now() < end) {
      for (auto& loop : loops_)
        loop->close_idle();
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    for (auto& loop : loops_)
      loop->finish();
  }

private:
  void listen() {
    const auto& options = shared_->options;
    boost::system::error_code error;
    auto address = asio::ip::make_address(options.address, error);
    if (!error) {
      tcp::endpoint where{address, options.port};
      acceptor_->open(where.protocol(), error);
      if (!error)
        acceptor_->set_option(tcp::acceptor::reuse_address{true}, error);
      if (!error)
        acceptor_->bind(where, error);
      if (!error)
        acceptor_->listen(asio::socket_base::max_listen_connections, error);
    }
    if (error)
      throw std::runtime_error{"cannot listen on " + options.address + ":"
                               + std::to_string(options.port) + ": "
                               + error.message()};
    port_ = acceptor_->local_endpoint().port();
  }

  void stop_accepting() {
    std::promise<void> done;
    asio::post(loops_.front()->context(), [&] {
      boost::system::error_code ignored;
      acceptor_->close(ignored);
      pause_->cancel();
      done.set_value();
    });
    done.get_future().wait();
  }

  void accept() {
    auto loop = loops_[next_++ % loops_.size()];
    acceptor_->async_accept(
        loop->context(),
        [this, loop](boost::system::error_code error, tcp::socket socket) {
          if (shared_->stopping || error == asio::error::operation_aborted)
            return;
          if (error)
            return rest();
          take(loop, std::move(socket));
          accept();
        });
  }

  void rest() {
    pause_->expires_after(accept_pause);
    pause_->async_wait([this](boost::system::error_code error) {
      if (!error)
        accept();
    });
  }

  void take(const std::shared_ptr<server::loop>& loop, tcp::socket socket) {
    if (shared_->connections >= shared_->options.max_connections)
      return turn_away(std::move(socket));
    ++shared_->connections;
    asio::post(loop->context(), [loop, socket = std::move(socket)]() mutable {
      std::make_shared<server::connection>(loop, std::move(socket))->start();
    });
  }

  /// Says why in one write that must not wait, and forgets the connection.
  void turn_away(tcp::socket socket) {
    auto answer = server::to_message(
        shared_->options.refuse(503, "too many connections are open"), false,
        loops_.front()->date());
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    boost::beast::http::write(socket, answer, ignored);
  }

  std::shared_ptr<server::shared_state> shared_;
  std::vector<std::shared_ptr<server::loop>> loops_;
  std::optional<tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> pause_;
  std::uint16_t port_ = 0;
  std::size_t next_ = 0;
  bool started_ = false;
  bool stopped_ = false;
};

http_server::http_server(http_server_options options, handler handle)
    : impl_{std::make_unique<impl>(std::move(options), std::move(handle))} {}
http_server::~http_server() = default;

void http_server::start() {
  impl_->start();
}
void http_server::limit_body(std::size_t bytes) {
  impl_->limit_body(bytes);
}
std::uint16_t http_server::port() const {
  return impl_->port();
}
std::size_t http_server::connections() const {
  return impl_->connections();
}
std::vector<const loop_meters*> http_server::meters() const {
  return impl_->meters();
}
void http_server::stop(std::chrono::milliseconds grace) {
  impl_->stop(grace);
}

} // namespace postrider::net
