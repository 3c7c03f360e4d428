#include "net/server/chunks.hpp"

#include <algorithm>
#include <charconv>

namespace postrider::net::server {

namespace {

constexpr std::size_t max_digits = 16;
constexpr std::size_t max_extension = 256;
constexpr std::size_t max_line = max_digits + max_extension + 2;
constexpr std::size_t max_trailers = 8192;
/// No body limit is as high: whoever announces this does not mean it.
constexpr std::size_t absurd_chunk = 0x1000'0000;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')
         || (c >= 'A' && c <= 'F');
}

/// Quotes are refused: a quoted line end reads differently elsewhere.
bool is_extension(std::string_view text) {
  return text.size() <= max_extension
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= 0x20 && c < 0x7f && c != '"') || c == '\t';
            });
}

} // namespace

std::optional<framing_fault> chunk_reader::read_size(std::string_view line,
                                                     std::size_t body) {
  auto rest = std::find_if_not(line.begin(), line.end(), is_hex);
  auto digits = static_cast<std::size_t>(rest - line.begin());
  if (digits == 0 || digits > max_digits)
    return framing_fault{400, "a chunk size is not 1 to 16 hexadecimal digits"};
  auto tail = line.substr(digits);
  if (!tail.empty() && (tail.front() != ';' || !is_extension(tail)))
    return framing_fault{400, "a chunk extension is malformed or too long"};
  std::from_chars(line.data(), line.data() + digits, left_, 16);
  if (left_ >= absurd_chunk)
    return framing_fault{400, "a chunk size is out of range"};
  if (left_ > limit_ - body)
    return framing_fault{413, "the body is larger than the limit"};
  return {};
}

chunk_reader::progress chunk_reader::read(std::string_view text,
                                          std::string& body) {
  progress result;
  auto fail = [&result](int status, std::string_view detail) {
    result.fault = framing_fault{status, detail};
    return result;
  };
  for (;;) {
    auto rest = text.substr(result.used);
    if (state_ == state::data) {
      auto take = std::min(left_, rest.size());
      body.append(rest.substr(0, take));
      result.used += take;
      left_ -= take;
      if (left_ != 0)
        return result;
      state_ = state::data_end;
      continue;
    }
    auto end = rest.find('\n');
    if (end == std::string_view::npos) {
      auto most = state_ == state::data_end ? 1
                  : state_ == state::size   ? max_line
                                            : max_trailers;
      if (rest.size() > most)
        return fail(400, "a line of the chunked body is too long");
      return result;
    }
    if (end == 0 || rest[end - 1] != '\r')
      return fail(400, "a line of the chunked body ends in a line feed alone");
    auto line = rest.substr(0, end - 1);
    result.used += end + 1;
    switch (state_) {
    case state::data_end:
      if (!line.empty())
        return fail(400, "a chunk is longer than its size says");
      state_ = state::size;
      break;
    case state::size:
      if (auto fault = read_size(line, body.size())) {
        result.fault = fault;
        return result;
      }
      state_ = left_ == 0 ? state::trailer : state::data;
      break;
    case state::trailer: {
      if (line.empty()) {
        result.done = true;
        return result;
      }
      trailers_ += line.size();
      if (trailers_ > max_trailers)
        return fail(431, "the trailers are larger than 8192 bytes");
      header dropped;
      if (auto fault = parse_field(line, dropped)) {
        result.fault = fault;
        return result;
      }
      break;
    }
    case state::data:
      break;
    }
  }
}

} // namespace postrider::net::server
