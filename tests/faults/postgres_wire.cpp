#include "tests/faults/postgres_wire.hpp"

#include <cstdint>
#include <optional>

namespace postrider::testing {

namespace {

struct message {
  char type = 0; ///< 0: the first one of a client
  std::string body;
};

/// Takes a whole message from the front; nothing while it is not there.
std::optional<message> take(std::string& from, bool typed) {
  const std::size_t head = typed ? 5 : 4;
  if (from.size() < head)
    return std::nullopt;
  std::uint32_t length = 0;
  for (std::size_t i = head - 4; i < head; ++i)
    length = length << 8 | static_cast<unsigned char>(from[i]);
  const auto whole = length + (typed ? 1u : 0u);
  if (from.size() < whole)
    return std::nullopt;
  message out{typed ? from[0] : '\0', from.substr(head, whole - head)};
  from.erase(0, whole);
  return out;
}

} // namespace

std::vector<std::string> statement_watch::feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<std::string> out;
  while (auto one = take(pending_, started_)) {
    started_ = true;
    if (one->type != 'B')
      continue;
    // Bind: the portal's name, then the statement's.
    const auto name = one->body.find('\0') + 1;
    out.emplace_back(one->body.c_str() + name);
  }
  return out;
}

bool ready_watch::feed(std::string_view bytes) {
  pending_ += bytes;
  bool out = false;
  while (const auto one = take(pending_, true))
    out = one->type == 'Z';
  return out;
}

} // namespace postrider::testing
