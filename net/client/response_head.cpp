#include "net/client/response_head.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace postrider::net::client {

namespace {

// So that a response of tiny fields can't take a hundred times its size.
constexpr std::size_t most_fields = 256;

constexpr std::string_view version = "HTTP/1.";

constexpr auto token_table = [] {
  std::array<bool, 256> table{};
  for (const char c :
       std::string_view{"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return token_table[static_cast<unsigned char>(c)];
  });
}

bool control_free(std::string_view text) {
  bool found = false; // no early exit, so that it becomes vector code
  for (const char c : text)
    found |= (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  return !found;
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos)
    return {};
  return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

// Whether the text can still become a status line. Asked early, so that what
// is no HTTP at all fails at once and not at the deadline.
bool plausible(std::string_view text) {
  static constexpr std::string_view digits = "0123456789";
  const auto fits = [&](std::size_t at, std::string_view allowed) {
    return text.size() <= at
           || allowed.find(text[at]) != std::string_view::npos;
  };
  const auto head = text.substr(0, version.size());
  return head == version.substr(0, head.size()) && fits(7, "01") && fits(8, " ")
         && fits(9, "12345") && fits(10, digits) && fits(11, digits)
         && fits(12, " \r\n");
}

} // namespace

std::size_t response_head::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !over()) {
    const auto end = bytes.find('\n', at);
    const auto next = end == std::string_view::npos ? bytes.size() : end + 1;
    auto line = bytes.substr(at, next - at);
    if (taken_ + line.size() > limit_) {
      state_ = state::too_large;
      return at;
    }
    taken_ += line.size();
    at = next;
    if (end == std::string_view::npos || !partial_.empty()) {
      partial_ += line;
      line = partial_;
    }
    if (state_ == state::status_line && !plausible(line))
      state_ = state::malformed;
    else if (end != std::string_view::npos) {
      take_line(line);
      partial_.clear();
    }
  }
  return at;
}

void response_head::take_line(std::string_view line) {
  line.remove_suffix(1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  else
    loose_ = true;
  if (state_ == state::status_line)
    take_status_line(line);
  else if (line.empty())
    state_ = state::done;
  else
    take_field(line);
}

void response_head::take_status_line(std::string_view line) {
  assert(line.size() >= 12); // else it was not plausible
  minor_ = line[version.size()];
  status_ = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  state_ = control_free(line) ? state::fields : state::malformed;
}

void response_head::take_field(std::string_view line) {
  if (!control_free(line)) {
    state_ = state::malformed;
    return;
  }
  if (line.front() == ' ' || line.front() == '\t') {
    if (fields_.empty()) {
      state_ = state::malformed;
      return;
    }
    fields_.back().value += ' ';
    fields_.back().value += trimmed(line);
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !token(line.substr(0, colon))) {
    state_ = state::malformed;
    return;
  }
  if (fields_.size() == most_fields) {
    state_ = state::too_large;
    return;
  }
  fields_.push_back({std::string{line.substr(0, colon)},
                     std::string{trimmed(line.substr(colon + 1))}});
}

} // namespace postrider::net::client
