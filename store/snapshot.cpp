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

void add_unlisted(snapshot& to, std::int32_t age) {
  // Ids are told modulo 2^32; the next one is never far from xmax.
  const auto next = static_cast<std::uint32_t>(age) + 3U;
  const auto more = next - static_cast<std::uint32_t>(to.xmax);
  if (more > static_cast<std::uint32_t>(1) << 31)
    return; // the next id is below: nothing was given out beyond
  for (std::uint32_t i = 0; i < more; ++i)
    to.running.push_back(to.xmax + i);
}

} // namespace postrider::store
