#include "app/api/etag.hpp"

#include <charconv>

namespace postrider::api {

std::string etag_of(std::int64_t version) {
  return '"' + std::to_string(version) + '"';
}

std::variant<std::optional<std::int64_t>, problem>
read_if_match(const call& request) {
  auto tag = request.request.find("if-match");
  if (!tag || *tag == "*")
    return std::optional<std::int64_t>{};
  if (tag->size() < 3 || tag->front() != '"' || tag->back() != '"')
    return precondition_failed();
  auto digits = tag->substr(1, tag->size() - 2);
  std::int64_t version = 0;
  auto* end = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), end, version);
  if (error != std::errc{} || stop != end)
    return precondition_failed();
  return std::optional{version};
}

problem precondition_failed() {
  return {412,
          "precondition_failed",
          "the ETag is not the present one; read it again",
          {},
          {}};
}

} // namespace postrider::api
