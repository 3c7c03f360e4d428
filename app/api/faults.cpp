#include "app/api/faults.hpp"

namespace postrider::api {

namespace {

constexpr std::size_t most_listed = 20;
constexpr std::size_t longest_token = 64;

} // namespace

void faults::add(std::string pointer, std::string_view code,
                 std::string detail) {
  ++count_;
  if (!full())
    listed_.push_back({std::move(pointer), code, std::move(detail)});
}

bool faults::full() const {
  return listed_.size() >= most_listed;
}

void faults::add_duplicate(std::string pointer) {
  ambiguous_ = true;
  add(std::move(pointer), "duplicate_member", "is given more than once");
}

void faults::add_oversized(std::string pointer, std::size_t limit) {
  oversized_ = true;
  add(std::move(pointer), "too_long",
      "must be at most " + std::to_string(limit) + " bytes");
}

std::string pointer_to(std::string_view at, std::string_view token) {
  std::string result{at};
  result += '/';
  for (auto c : token.substr(0, longest_token)) {
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  }
  return result;
}

} // namespace postrider::api
