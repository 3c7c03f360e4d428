#include "app/commands/arrival_text.hpp"

#include "app/api/json_writer.hpp"
#include "app/api/utf8.hpp"
#include "app/printable.hpp"
#include "core/base64.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

std::string_view word_for(signature_check signature) {
  switch (signature) {
  case signature_check::good:
    return "signature ok";
  case signature_check::bad:
    return "SIGNATURE WRONG";
  case signature_check::unchecked:
    break;
  }
  return "signature not checked";
}

std::string as_json(const arrival& here) {
  const auto& request = *here.request;
  api::json_writer out;
  out.begin_object();
  out.key("method").string(request.method);
  out.key("path").string(here.path);
  out.key("id").string(here.id);
  out.key("attempt").number(here.attempt);
  out.key("sequence").number(here.sequence);
  out.key("signature")
      .string(here.signature == signature_check::good  ? "ok"
              : here.signature == signature_check::bad ? "wrong"
                                                       : "unchecked");
  out.key("answered");
  here.status == 0 ? out.null() : out.number(here.status);
  out.key("headers").begin_array();
  for (const auto& one : request.headers)
    out.begin_array().string(one.name).string(one.value).end_array();
  out.end_array();
  if (api::find_invalid_utf8(request.body) == std::string_view::npos)
    out.key("body").string(request.body);
  else
    out.key("body_base64").string(encode_base64(request.body));
  out.end_object();
  return out.take() + '\n';
}

} // namespace

std::string arrival_text(const arrival& here, const std::string& print) {
  if (print == "json")
    return as_json(here);
  auto text = printable(
      fmt::format("{} {}  id {}  attempt {}  sequence {}  {} bytes  {}  -> {}",
                  here.request->method, here.path,
                  here.id.empty() ? "-" : here.id, here.attempt, here.sequence,
                  here.request->body.size(), word_for(here.signature),
                  here.status == 0 ? "dropped" : std::to_string(here.status)));
  text += '\n';
  if (print == "headers")
    for (const auto& one : here.request->headers)
      text += printable(fmt::format("  {}: {}", one.name, one.value)) + '\n';
  if (print == "body")
    text += printable(here.request->body, true) + '\n';
  return text;
}

} // namespace postrider::app
