#include "app/api/problem.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

struct title {
  std::string_view code;
  std::string_view text;
};

constexpr title titles[] = {
    {"bad_cursor", "The cursor is not one of ours"},
    {"bad_query", "The query is not valid"},
    {"config_invalid", "The configuration is not valid"},
    {"count_changed", "The number is another one by now"},
    {"event_id_conflict", "Another event has this id"},
    {"endpoint_disabled", "The endpoint is disabled"},
    {"event_dropped", "The event is not kept any more"},
    {"expectation_failed", "The expectation is not known"},
    {"headers_too_large", "The headers are too large"},
    {"idempotency_key_reused", "The key belongs to another request"},
    {"internal", "Something is wrong on this side"},
    {"malformed_json", "The request body can't be read"},
    {"malformed_request", "The request can't be read"},
    {"method_not_allowed", "The method does not exist here"},
    {"not_acceptable", "No answer in an accepted form"},
    {"not_found", "There is no such thing"},
    {"not_implemented", "Not done here"},
    {"not_one_receiver", "A command needs exactly one receiver"},
    {"overloaded", "Too much at once"},
    {"draining", "This node is stopping"},
    {"payload_too_large", "The request is too large"},
    {"precondition_failed", "It was changed meanwhile"},
    {"request_timeout", "The request took too long"},
    {"reserved_tenant", "The tenant is Postrider's own"},
    {"storage_unavailable", "The database is away"},
    {"uid_taken", "Another endpoint has this uid"},
    {"unauthenticated", "A key is needed"},
    {"unknown_tenant", "There is no such tenant"},
    {"unsupported_media_type", "The body has the wrong form"},
    {"uri_too_long", "The request target is too long"},
    {"validation_failed", "The request body is not valid"},
    {"version_not_supported", "This version of HTTP is not spoken"},
    {"wrong_state", "Not possible in this state"},
};

std::string_view title_of(std::string_view code) {
  auto found = std::find_if(std::begin(titles), std::end(titles),
                            [=](const title& t) { return t.code == code; });
  return found == std::end(titles) ? code : found->text;
}

std::string type_of(std::string_view code) {
  std::string type = "https://postrider.example/problems/";
  for (auto c : code)
    type += c == '_' ? '-' : c;
  return type;
}

} // namespace

problem invalid_body(const faults& found) {
  auto detail = found.count() == 1
                    ? std::string{"1 thing is wrong"}
                    : std::to_string(found.count()) + " things are wrong";
  if (found.ambiguous())
    return {400, "malformed_json", detail, found.listed(), {}};
  if (found.oversized())
    return {413, "payload_too_large", detail, found.listed(), {}};
  return {422, "validation_failed", detail, found.listed(), {}};
}

problem malformed_json(const json_fault& fault) {
  return {400,
          "malformed_json",
          std::string{fault.what} + " (at byte " + std::to_string(fault.offset)
              + ")",
          {},
          {}};
}

problem try_again(std::string_view code, std::string detail) {
  return {503, code, std::move(detail), {}, {{"Retry-After", "1"}}};
}

void write_members(json_writer& out, const problem& what) {
  out.key("type").string(type_of(what.code));
  out.key("title").string(title_of(what.code));
  out.key("status").number(what.status);
  out.key("code").string(what.code);
  out.key("detail").string(what.detail);
  if (what.errors.empty())
    return;
  out.key("errors").begin_array();
  for (const auto& [pointer, code, detail] : what.errors) {
    out.begin_object();
    out.key("pointer").string(pointer);
    out.key("code").string(code);
    out.key("detail").string(detail);
    out.end_object();
  }
  out.end_array();
}

net::server_response to_response(problem what, std::string_view instance,
                                 std::string_view request_id) {
  json_writer out;
  out.begin_object();
  write_members(out, what);
  out.text_if("instance", instance);
  out.key("request_id").string(request_id);
  out.end_object();
  what.headers.push_back({"Content-Type", "application/problem+json"});
  return {what.status, std::move(what.headers), out.take()};
}

} // namespace postrider::api
