#pragma once

#include "net/server/loop.hpp"
#include "net/server/request_reader.hpp"
#include "net/server/wire.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::net::server {

/// One accepted connection: reads a request, hands it on, writes the answer,
/// and only then looks at the next one. Lives on its loop's thread; its
/// buffers are reused from request to request.
class connection : public std::enable_shared_from_this<connection> {
public:
  connection(std::shared_ptr<loop> loop, boost::asio::ip::tcp::socket socket);

  void start();
  /// Writes the answer to request number `serial`; a second one is ignored.
  void answer(std::uint64_t serial, server_response response);
  /// Refuses or closes when the present stage has taken too long.
  void check_deadline();
  /// Closes unless a request has begun.
  void close_if_idle();
  void close();

private:
  enum class stage : std::uint8_t { head, body, handling, writing, lingering };

  void read_more();
  void on_read(boost::system::error_code error, std::size_t count);
  void go_on();
  void read_head();
  void begin_body();
  void read_body();
  void dispatch();
  void refuse(const framing_fault& fault);
  void write(server_response response, bool keep);
  void on_written();
  void linger();
  void discard();
  void wait_until(std::chrono::milliseconds span);
  std::string_view unread() const;
  void consume(std::size_t count);

  std::shared_ptr<loop> loop_;
  boost::asio::ip::tcp::socket socket_;
  std::string peer_;

  std::vector<char> in_; ///< bytes [begin_, end_) are unread
  std::size_t begin_ = 0;
  std::size_t end_ = 0;

  stage stage_ = stage::head;
  bool closed_ = false;
  bool reading_ = false; ///< a read is under way
  bool keep_ = true;
  bool started_ = false; ///< a byte of the request has come
  std::uint64_t serial_ = 0;
  loop::clock::time_point deadline_;
  std::size_t discarded_ = 0;

  std::optional<request_reader> reader_; ///< of the present request
  bool head_only_ = false;               ///< the answer to HEAD has no body

  message out_;
  std::optional<boost::beast::http::response_serializer<message::body_type>>
      writer_; ///< of `out_`
};

} // namespace postrider::net::server
