#include "net/server/connection.hpp"

#include "core/failpoint.hpp"
#include "net/server/slot.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace postrider::net::server {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t first_buffer = 8 * 1024;
constexpr std::size_t body_buffer = 64 * 1024;
/// How much of a refused request is read so that its sender, still writing,
/// gets to see the answer (K-13).
constexpr std::size_t max_discard = 32 * 1024 * 1024;
constexpr std::chrono::milliseconds linger_time{2'000};

std::string peer_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  auto end = socket.remote_endpoint(error);
  if (error)
    return {};
  return end.address().to_string() + ':' + std::to_string(end.port());
}

} // namespace

connection::connection(std::shared_ptr<loop> loop, asio::ip::tcp::socket socket)
    : loop_{std::move(loop)},
      socket_{std::move(socket)},
      peer_{peer_of(socket_)},
      in_(first_buffer) {}

void connection::start() {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  socket_.non_blocking(true, ignored);
  loop_->add(shared_from_this());
  wait_until(loop_->shared().options.idle_timeout);
  read_more();
}

void connection::close() {
  if (std::exchange(closed_, true))
    return;
  loop_->remove(shared_from_this());
  --loop_->shared().connections;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void connection::wait_until(std::chrono::milliseconds span) {
  deadline_ = loop_->now() + span;
}

std::string_view connection::unread() const {
  return {in_.data() + begin_, end_ - begin_};
}

void connection::consume(std::size_t count) {
  begin_ += count;
  if (begin_ == end_)
    begin_ = end_ = 0;
}

void connection::check_deadline() {
  if (stage_ == stage::handling || loop_->now() < deadline_)
    return;
  if (stage_ == stage::body || (stage_ == stage::head && started_))
    refuse({408, "the request took too long to arrive"});
  else
    close();
}

void connection::close_if_idle() {
  if (stage_ == stage::head && !started_)
    close();
}

void connection::read_more() {
  if (begin_ != 0) {
    std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (stage_ == stage::body && in_.size() < body_buffer
      && in_.size() < reader_->missing(body_buffer))
    in_.resize(body_buffer);
  else if (end_ == in_.size())
    in_.resize(in_.size() * 2);
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(in_.data() + end_, in_.size() - end_),
      [self = shared_from_this()](boost::system::error_code error,
                                  std::size_t count) {
        self->on_read(error, count);
      });
}

void connection::on_read(boost::system::error_code error, std::size_t count) {
  reading_ = false;
  // A deadline may have refused the request while this read was under way.
  if (closed_ || stage_ == stage::writing)
    return;
  if (error)
    return close();
  if (stage_ == stage::lingering) {
    discarded_ += count;
    return discarded_ > max_discard ? close() : discard();
  }
  end_ += count;
  go_on();
}

void connection::go_on() {
  if (stage_ == stage::body)
    read_body();
  else
    read_head();
}

void connection::read_head() {
  const auto& options = loop_->shared().options;
  // One empty line before a request is forgiven (RFC 9112, 2.2).
  if (!started_ && unread().starts_with("\r\n"))
    consume(2);
  auto text = unread();
  if (text.empty() || (!started_ && text == "\r"))
    return read_more();
  if (!std::exchange(started_, true)) {
    wait_until(options.header_timeout);
    reader_.emplace(options.header_limit, loop_->shared().body_limit);
  }
  consume(reader_->read(text));
  if (reader_->fault())
    return refuse(*reader_->fault());
  if (!reader_->head_done())
    return read_more();
  begin_body();
}

void connection::begin_body() {
  keep_ = reader_->keep_alive();
  head_only_ = reader_->is_head();
  stage_ = stage::body;
  wait_until(loop_->shared().options.body_timeout);
  if (reader_->expects_continue() && !reader_->done() && unread().empty()) {
    static constexpr std::string_view go_ahead =
        "HTTP/1.1 100 Continue\r\n\r\n";
    boost::system::error_code error;
    // No room for 25 bytes means a peer that reads no answers.
    if (socket_.write_some(asio::buffer(go_ahead), error) != go_ahead.size())
      return close();
  }
  read_body();
}

void connection::read_body() {
  consume(reader_->read(unread()));
  if (reader_->fault())
    return refuse(*reader_->fault());
  if (!reader_->done())
    return read_more();
  dispatch();
}

void connection::dispatch() {
  stage_ = stage::handling;
  auto request = reader_->take();
  request.peer = peer_;
  auto slot =
      std::make_shared<answer_slot>(loop_, shared_from_this(), ++serial_);
  try {
    loop_->shared().handle(
        std::move(request),
        [slot](server_response response) { slot->fill(std::move(response)); });
  } catch (const std::exception&) {
    // The slot answers 500 when it goes.
  }
}

void connection::answer(std::uint64_t serial, server_response response) {
  if (closed_ || stage_ != stage::handling || serial != serial_)
    return;
  if (response.status == 0)
    return close();
  write(std::move(response), keep_ && !loop_->shared().stopping);
}

void connection::refuse(const framing_fault& fault) {
  write(loop_->shared().options.refuse(fault.status, fault.detail), false);
}

void connection::write(server_response response, bool keep) {
  stage_ = stage::writing;
  keep_ = keep;
  wait_until(loop_->shared().options.body_timeout);
  out_ = to_message(std::move(response), keep, loop_->date(), head_only_);
  writer_.emplace(out_);
  http::async_write(socket_, *writer_,
                    [self = shared_from_this()](boost::system::error_code error,
                                                std::size_t) {
                      if (self->closed_)
                        return;
                      if (error)
                        self->close();
                      else
                        self->on_written();
                    });
}

void connection::on_written() {
  POSTRIDER_FAILPOINT("server.wrote_" + std::to_string(out_.result_int()));
  writer_.reset();
  out_ = {};
  if (!keep_)
    return linger();
  stage_ = stage::head;
  started_ = false;
  head_only_ = false;
  if (end_ == 0 && in_.size() > first_buffer)
    std::vector<char>(first_buffer).swap(in_);
  wait_until(loop_->shared().options.idle_timeout);
  read_head();
}

void connection::linger() {
  boost::system::error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  if (error)
    return close();
  stage_ = stage::lingering;
  wait_until(linger_time);
  discard();
}

void connection::discard() {
  if (std::exchange(reading_, true))
    return;
  socket_.async_read_some(
      asio::buffer(in_),
      [self = shared_from_this()](boost::system::error_code error,
                                  std::size_t count) {
        self->on_read(error, count);
      });
}

} // namespace postrider::net::server
