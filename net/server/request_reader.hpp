#pragma once

#include "net/http_server.hpp"
#include "net/server/fault.hpp"
#include "net/server/fields.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postrider::net::server {

/// Reads one request out of a buffer that grows. Beast parses; around it stand
/// the rules that it does not have, so that no second parser could see another
/// request in the same bytes (RELIABILITY 6.2).
class request_reader : private boost::beast::http::basic_parser<true> {
public:
  /// Both have to outlive it.
  request_reader(const http_server_options& options, server_request& into);

  /// Takes what it can from the front of `text` and says how much that was;
  /// the rest has to stand at the front of the next call. Stops behind the
  /// head.
  std::size_t read(std::string_view text);

  const std::optional<framing_fault>& fault() const { return fault_; }
  bool head_done() const { return is_header_done(); }
  bool done() const { return is_done() || ended_; }

  /// Of a request whose head is done.
  using basic_parser::keep_alive;
  bool expects_continue() const;
  /// How much of the body may still come; nothing when that is not known.
  using basic_parser::content_length_remaining;

private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  std::size_t read_request_line(std::string_view text);
  std::size_t read_fields(std::string_view text);
  std::size_t read_chunk(std::string_view text);
  std::size_t feed(std::string_view text);
  std::size_t refuse(int status, std::string_view detail);
  void stop(framing_fault fault, error_code& error);

  void on_request_impl(boost::beast::http::verb verb, string_view method,
                       string_view target, int version,
                       error_code& error) override;
  void on_field_impl(boost::beast::http::field id, string_view name,
                     string_view value, error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length,
                         error_code& error) override;
  std::size_t on_body_impl(string_view body, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t size, string_view extensions,
                            error_code& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, string_view body,
                                 error_code& error) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  const http_server_options& options_;
  server_request& request_;
  framing_fields fields_;
  std::optional<framing_fault> fault_;
  int version_ = 0;           ///< 0 until the request line is read
  std::size_t head_size_ = 0; ///< bytes of the head that Beast has
  std::size_t line_ = 0;      ///< where the unfinished line starts
  std::size_t seen_ = 0;      ///< bytes without a line feed of that line
  std::uint64_t chunk_left_ = 0;
  bool first_chunk_ = true;
  bool ended_ = false; ///< the last chunk and its trailers are read
};

} // namespace postrider::net::server
