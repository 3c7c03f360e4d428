#include "app/bench/payload.hpp"

#include <fmt/format.h>

#include <cassert>
#include <charconv>
#include <chrono>

namespace postrider::app {

namespace {

// At fixed places, so that neither side has to read JSON. Strings, because a
// JSON number has no leading zeros.
constexpr std::string_view first = "{\"n\":\"";
constexpr std::string_view second = "\",\"at\":\"";
constexpr std::string_view third = "\",";
constexpr std::size_t number_digits = 12;
constexpr std::size_t time_digits = 16;
constexpr auto number_at = first.size();
constexpr auto time_at = number_at + number_digits + second.size();

template <class Number>
bool read(std::string_view digits, Number& into) {
  const auto* end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, into);
  return fault == std::errc{} && stop == end;
}

} // namespace

payload_maker::payload_maker(std::size_t size) {
  assert(size >= smallest);
  constexpr std::string_view last = "\"note\":\"\"}";
  sample_ = fmt::format("{}{:0{}}{}{:0{}}{}", first, 0, number_digits, second,
                        0, time_digits, third);
  std::string order = R"("order":{"currency":"EUR","lines":[)";
  for (int line = 1;; ++line) {
    const auto next = fmt::format(
        R"({}{{"sku":"A-{:05}","quantity":{},"price":"{}.90","gift":false}})",
        line == 1 ? "" : ",", line * 7919 % 100'000, line % 5 + 1, line * 3);
    if (sample_.size() + order.size() + next.size() + 3 + last.size() > size)
      break;
    order += next;
  }
  order += "]},";
  if (sample_.size() + order.size() + last.size() <= size)
    sample_ += order;
  sample_ += last;
  if (sample_.size() < size)
    sample_.insert(sample_.size() - 2, size - sample_.size(), '.');
}

std::string payload_maker::make(const payload_mark& mark) const {
  auto made = sample_;
  fmt::format_to_n(made.begin() + number_at, number_digits, "{:0{}}",
                   mark.number, number_digits);
  fmt::format_to_n(made.begin() + time_at, time_digits, "{:0{}}", mark.intended,
                   time_digits);
  return made;
}

payload_maker::parts payload_maker::taken_apart() const {
  return {std::string{first}, std::string{second},
          sample_.substr(time_at + time_digits), number_digits, time_digits};
}

std::optional<payload_mark> read_payload(std::string_view body) {
  payload_mark mark;
  if (body.size() < time_at + time_digits || !body.starts_with(first)
      || body.substr(number_at + number_digits, second.size()) != second
      || !read(body.substr(number_at, number_digits), mark.number)
      || !read(body.substr(time_at, time_digits), mark.intended))
    return std::nullopt;
  return mark;
}

std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace postrider::app
