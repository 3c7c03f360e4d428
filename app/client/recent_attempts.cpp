#include "app/client/recent_attempts.hpp"

#include "app/api/rfc3339.hpp"
#include "app/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr auto overlap = 5s;
constexpr std::size_t most = 2'500;

std::string with(const std::string& query, const std::string& more) {
  return fmt::format("/v1/attempts{}{}{}", query, query.empty() ? '?' : '&',
                     more);
}

} // namespace

recent_attempts::recent_attempts(api_session& api, std::string query,
                                 std::size_t first)
    : api_{api}, query_{std::move(query)}, first_{first} {}

recent_attempts::look recent_attempts::next() {
  look out;
  const auto take = [&](std::string_view row) {
    const auto ended = api::parse_rfc3339(json_member(row, "ended_at"));
    if (!ended || !seen_.emplace(json_member(row, "id"), *ended).second)
      return;
    newest_ = std::max(newest_, *ended);
    out.rows.emplace_back(row);
  };
  if (!begun_) {
    begun_ = true;
    // Also when none are to be shown: where the later ones begin.
    api_.each("/v1/attempts" + query_, std::max<std::size_t>(first_, 1), take);
    if (first_ == 0)
      out.rows.clear();
  } else if (newest_ == time{}) {
    out.cut = api_.each("/v1/attempts" + query_, most, take);
  } else {
    out.cut =
        api_.each(with(query_, "since=" + api::to_rfc3339(newest_ - overlap)),
                  most, take);
  }
  std::reverse(out.rows.begin(), out.rows.end());
  std::erase_if(seen_, [&](const auto& one) {
    return one.second < newest_ - 2 * overlap;
  });
  return out;
}

} // namespace postrider::app
