#include "net/server/chunk_rules.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <string>

namespace postrider::net::server {

namespace http = boost::beast::http;

namespace {

constexpr std::size_t max_digits = 16;
constexpr std::size_t max_extension = 256;
constexpr std::size_t max_line = max_digits + max_extension + 2;
constexpr std::size_t max_trailers = 8192;
/// No body limit is as high: whoever announces eight digits does not mean it.
constexpr std::size_t absurd_digits = 8;

std::optional<framing_fault> judge_line(std::string_view line, bool& last) {
  auto digits =
      std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  if (digits == 0 || digits > max_digits)
    return framing_fault{400, "a chunk size is not 1 to 16 hexadecimal digits"};
  auto extension = line.substr(digits);
  if (!extension.empty()
      && (extension.front() != ';' || extension.size() > max_extension
          || extension.find('"') != extension.npos))
    return framing_fault{400, "a chunk extension is malformed or too long"};
  auto zeros = std::min(line.find_first_not_of('0'), digits);
  if (digits - zeros >= absurd_digits)
    return framing_fault{400, "a chunk size is out of range"};
  last = zeros == digits;
  return {};
}

} // namespace

chunk_line read_chunk_line(std::string_view text, bool first) {
  constexpr std::string_view crlf = "\r\n";
  std::size_t begin = first ? 0 : crlf.size();
  if (!crlf.starts_with(text.substr(0, begin)))
    return {0, false,
            framing_fault{400, "a chunk is longer than its size "
                               "says"}};
  auto feed = text.find('\n', begin);
  if (feed == text.npos) {
    if (text.size() > begin + max_line)
      return {0, false,
              framing_fault{400, "a line of the chunked body is too long"}};
    return {};
  }
  auto line = text.substr(begin, feed - begin);
  if (!line.ends_with('\r'))
    return {0, false,
            framing_fault{400, "a line of the chunked body ends in a line "
                               "feed alone"}};
  line.remove_suffix(1);
  chunk_line result{feed + 1, false, {}};
  result.fault = judge_line(line, result.last);
  return result;
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
