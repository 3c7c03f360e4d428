#include "store/snapshot.hpp"

#include "store/error.hpp"

#include <charconv>
#include <string>

namespace postrider::store {

namespace {

std::uint64_t take_number(std::string_view& rest, char end) {
  std::uint64_t value = 0;
  const auto [stop, fault] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const auto used = static_cast<std::size_t>(stop - rest.data());
  const bool ended = used == rest.size() || rest[used] == end;
  if (fault != std::errc{} || !ended)
    throw error{error::kind::defect, "the database told no snapshot"};
  rest.remove_prefix(used == rest.size() ? used : used + 1);
  return value;
}

} // namespace

snapshot parse_snapshot(std::string_view text) {
  snapshot out;
  out.xmin = take_number(text, ':');
  out.xmax = take_number(text, ':');
  while (!text.empty())
    out.running.push_back(take_number(text, ','));
  return out;
}

void set_next(snapshot& to, std::int32_t age) {
  const auto low = static_cast<std::uint32_t>(age) + 3U;
  const auto more = low - static_cast<std::uint32_t>(to.xmax);
  // The next one is never far from xmax, and never below it.
  to.next =
      more > static_cast<std::uint32_t>(1) << 31 ? to.xmax : to.xmax + more;
}

} // namespace postrider::store
