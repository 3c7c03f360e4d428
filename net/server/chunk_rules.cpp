#include "net/server/chunk_rules.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace postrider::net::server {

namespace http = boost::beast::http;

namespace {

constexpr std::size_t max_digits = 16;
constexpr std::size_t max_extension = 256;
constexpr std::size_t max_line = max_digits + max_extension + 2;
constexpr std::size_t max_trailers = 8192;
/// No body limit is as high: whoever announces this does not mean it.
constexpr std::uint64_t absurd_size = 0x1000'0000;

std::optional<framing_fault> judge_line(std::string_view line,
                                        std::uint64_t& size) {
  auto* end =
      std::from_chars(line.data(), line.data() + line.size(), size, 16).ptr;
  auto digits = static_cast<std::size_t>(end - line.data());
  if (digits == 0 || digits > max_digits)
    return framing_fault{400, "a chunk size is not 1 to 16 hexadecimal digits"};
  auto extension = line.substr(digits);
  // The last chunk does not reach Beast.
  auto is_odd = [](char c) { return c < 0x20 || c > 0x7e || c == '"'; };
  if (!extension.empty()
      && (extension.front() != ';' || extension.size() > max_extension
          || std::ranges::any_of(extension, is_odd)))
    return framing_fault{400, "a chunk extension is malformed or too long"};
  if (size >= absurd_size)
    return framing_fault{400, "a chunk size is out of range"};
  return {};
}

/// Looks for the line that starts at `begin`.
chunk_line find_line(std::string_view text, std::size_t begin) {
  auto feed = text.find('\n', begin);
  if (std::min(feed, text.size()) > begin + max_line)
    return {0, 0, framing_fault{400, "a line of the chunked body is too long"}};
  if (feed == text.npos)
    return {};
  if (feed == begin || text[feed - 1] != '\r')
    return {0, 0,
            framing_fault{400, "a line of the chunked body ends in a line "
                               "feed alone"}};
  return {feed + 1, 0, {}};
}

} // namespace

chunk_line read_chunk_line(std::string_view text, bool first) {
  constexpr std::string_view crlf = "\r\n";
  std::size_t begin = first ? 0 : crlf.size();
  if (!crlf.starts_with(text.substr(0, begin)))
    return {0, 0,
            framing_fault{400, "a chunk is longer than its size "
                               "says"}};
  auto line = find_line(text, begin);
  if (line.end != 0)
    line.fault =
        judge_line(text.substr(begin, line.end - 2 - begin), line.size);
  return line;
}

trailers read_trailers(std::string_view text) {
  if (text.starts_with("\r\n"))
    return {2, {}};
  auto end = text.find("\r\n\r\n");
  if (std::min(end, text.size()) > max_trailers)
    return {0, framing_fault{431, "the trailers are larger than 8192 bytes"}};
  if (end == text.npos)
    return {};
  auto fields = text.substr(0, end + 4);
  if (fields.find("\r\n ") != fields.npos
      || fields.find("\r\n\t") != fields.npos)
    return {0, framing_fault{400, "a trailer is folded over two lines"}};
  http::request_parser<http::empty_body> judge;
  judge.header_limit(2 * max_trailers);
  boost::system::error_code error;
  judge.put(boost::asio::buffer("GET / HTTP/1.1\r\n" + std::string{fields}),
            error);
  if (error)
    return {0, framing_fault{400, "a trailer is not `name: value`"}};
  return {fields.size(), {}};
}

} // namespace postrider::net::server
