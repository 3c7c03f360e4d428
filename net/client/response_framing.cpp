#include "net/client/response_framing.hpp"

#include <charconv>

namespace postrider::net::client {

namespace {

using kind = response_framing::kind;

// Calls `see` with each member of a comma-separated list.
template <class See>
void each_member(std::string_view list, See see) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    auto member = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const auto from = std::min(member.find_first_not_of(" \t"), member.size());
    member.remove_prefix(from);
    member = member.substr(0, member.find_last_not_of(" \t") + 1);
    if (!member.empty())
      see(member);
  }
}

bool parse_length(std::string_view text, std::uint64_t& into) {
  const auto* end = text.data() + text.size();
  const auto [next, fault] = std::from_chars(text.data(), end, into);
  return fault == std::errc{} && next == end;
}

struct framing_fields {
  int lengths = 0;
  std::uint64_t length = 0;
  bool bad_length = false;
  int codings = 0;
  bool chunked = false;
  bool close = false;
  bool keep_alive = false;

  void take(const header& field) {
    // By length first: nearly every field is ruled out by one comparison.
    const auto& name = field.name;
    if (name.size() == 14 && same_header_name(name, "content-length")) {
      ++lengths;
      bad_length = bad_length || !parse_length(field.value, length);
    } else if (name.size() == 17
               && same_header_name(name, "transfer-encoding")) {
      ++codings;
      chunked = same_header_name(field.value, "chunked");
    } else if (name.size() == 10 && same_header_name(name, "connection")) {
      each_member(field.value, [this](std::string_view member) {
        close = close || same_header_name(member, "close");
        keep_alive = keep_alive || same_header_name(member, "keep-alive");
      });
    } else if (name.size() == 10 && same_header_name(name, "keep-alive")) {
      each_member(field.value, [this](std::string_view member) {
        close = close || same_header_name(member, "timeout=0");
      });
    }
  }
};

bool without_body(int status) {
  return status == 204 || status == 205 || status == 304;
}

} // namespace

response_framing judge_framing(const response_head& head) {
  framing_fields seen;
  for (const auto& each : head.fields())
    seen.take(each);
  response_framing result;
  result.reusable =
      !seen.close && !head.loose() && (!head.http_1_0() || seen.keep_alive);
  const bool ambiguous = seen.lengths > 1 || seen.bad_length || seen.codings > 1
                         || (seen.codings > 0 && seen.lengths > 0)
                         || (seen.codings > 0 && head.http_1_0());
  if (ambiguous)
    result.malformed = true;
  if (without_body(head.status())) {
    // A body is announced that must not be there: stray bytes may follow.
    if (seen.codings > 0 || seen.length > 0)
      result.reusable = false;
  } else if (seen.codings > 0) {
    result.body = seen.chunked ? kind::chunked : kind::until_close;
  } else if (seen.lengths > 0) {
    result.body = kind::length;
    result.length = seen.length;
  } else {
    result.body = kind::until_close;
  }
  if (result.malformed || result.body == kind::until_close)
    result.reusable = false;
  return result;
}

} // namespace postrider::net::client
