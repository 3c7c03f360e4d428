#include "app/client/problem_text.hpp"

#include "app/api/json_text.hpp"
#include "app/json_text.hpp"
#include "app/printable.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

exit_code code_of(int status) {
  switch (status) {
  case 404:
    return exit_not_found;
  case 408:
  case 504:
    return exit_timed_out;
  case 429:
  case 503:
    return exit_unreachable;
  default:
    return status >= 400 && status < 500 ? exit_refused : exit_failed;
  }
}

std::string_view next_step(std::string_view code) {
  if (code == "unauthenticated" || code == "forbidden")
    return "try: name the file with the key, --token-file FILE or "
           "POSTRIDER_TOKEN_FILE";
  if (code == "unknown_tenant")
    return "try: postrider tenants create ID";
  if (code == "count_changed")
    return "try: postrider dead-letters summary, and run it again with the "
           "count it shows";
  if (code == "not_one_receiver")
    return "try: postrider endpoints list";
  if (code == "overloaded" || code == "storage_unavailable"
      || code == "draining")
    return "try: again in a moment, or postrider health --ready";
  return {};
}

std::string pointers(std::string_view body) {
  std::string lines;
  const auto read = api::read_json(body);
  for (const auto& member : api::members_of(std::get<0>(read))) {
    if (member.key != "errors" || member.value.kind != api::json_kind::array)
      continue;
    for (const auto& one : api::elements_of(member.value)) {
      const auto pointer = json_member(one.text, "pointer");
      lines += fmt::format(
          "\n  {}: {} ({})", pointer.empty() ? "the body" : pointer,
          json_member(one.text, "detail"), json_member(one.text, "code"));
    }
  }
  return lines;
}

} // namespace

failure failure_of(int status, std::string_view body) {
  const auto code = json_member(body, "code");
  if (code.empty())
    return {code_of(status),
            fmt::format("the server answered {}, and not as Postrider does: "
                        "is --url its API?",
                        status)};
  auto text = fmt::format("{}: {} ({})", json_member(body, "title"),
                          json_member(body, "detail"), code);
  text += pointers(body);
  if (const auto id = json_member(body, "request_id");
      status >= 500 && !id.empty())
    text += fmt::format("\n  request {}", id);
  if (const auto step = next_step(code); !step.empty())
    text += fmt::format("\n{}", step);
  return {code_of(status), printable(text, true)};
}

} // namespace postrider::app
