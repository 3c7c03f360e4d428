#include "app/api/meters.hpp"

#include "app/api/routes.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

std::size_t place_of(int status) {
  const auto found =
      std::find(known_statuses.begin(), known_statuses.end() - 1, status);
  return static_cast<std::size_t>(found - known_statuses.begin());
}

} // namespace

api_meters::api_meters() : by_route_(routes().size() + 1) {}

void api_meters::answered(const route* of, int status,
                          std::chrono::nanoseconds took) noexcept {
  const auto place =
      of ? static_cast<std::size_t>(of - routes().data()) : routes().size();
  by_route_[place].statuses[place_of(status)].add();
  by_route_[place].duration.observe(took);
}

void api_meters::refused(int status) noexcept {
  by_route_.back().statuses[place_of(status)].add();
}

void api_meters::stored(event_source from, const ingest_result& what,
                        bool by_header) noexcept {
  if (what.what == ingest_result::status::duplicate) {
    (by_header ? duplicate_key : duplicate_id).add();
    return;
  }
  accepted[static_cast<std::size_t>(from)].add();
  created.add(static_cast<std::uint64_t>(what.deliveries));
  if (what.deliveries == 0)
    unmatched.add();
}

void api_meters::rejected(std::string_view code) noexcept {
  const auto found =
      std::find(refusal_codes.begin(), refusal_codes.end() - 1, code);
  refusals[static_cast<std::size_t>(found - refusal_codes.begin())].add();
}

} // namespace postrider::api
