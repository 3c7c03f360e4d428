#include "app/api/endpoint_body.hpp"

#include "app/api/endpoint_fields.hpp"
#include "app/api/header_body.hpp"
#include "app/api/names.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

const std::vector<std::string> members{"tenant",
                                       "uid",
                                       "url",
                                       "types",
                                       "description",
                                       "ordering",
                                       "ordering_key",
                                       "retry",
                                       "headers",
                                       "max_in_flight",
                                       "rate",
                                       "retry_statuses",
                                       "health_policy",
                                       "timeout_seconds",
                                       "connect_timeout_seconds",
                                       "secret"};

constexpr std::string_view fixed[] = {"tenant", "uid", "secret"};

bool is_object(const json_value& body, faults& found) {
  if (body.kind == json_kind::object)
    return true;
  found.add("", "wrong_type",
            "must be an object, not " + std::string{describe(body.kind)});
  return false;
}

void read_secret(object_reader& body, endpoint_draft& draft) {
  auto text = body.text("secret");
  if (!text)
    return;
  draft.key = signing_key::parse(*text);
  if (!draft.key)
    body.fail("secret", "bad_secret",
              "must be whsec_ and base64 of 24 to 64 bytes");
}

/// `null` in a patch means the value of a new endpoint.
void reset(object_reader& body, store::endpoint_fields& fields) {
  using std::chrono::milliseconds;
  if (body.is_null("description"))
    fields.description = "";
  if (body.is_null("ordering"))
    fields.ordering = "fifo";
  if (body.is_null("ordering_key"))
    fields.ordering_key = "endpoint";
  if (body.is_null("retry"))
    fields.retry = "default";
  if (body.is_null("max_in_flight"))
    fields.max_in_flight = 32;
  if (body.is_null("rate"))
    fields.rate = 0;
  if (body.is_null("retry_statuses"))
    fields.retry_statuses = "";
  if (body.is_null("health_policy"))
    fields.health_policy = "default";
  if (body.is_null("timeout_seconds"))
    fields.timeout = milliseconds{0};
  if (body.is_null("connect_timeout_seconds"))
    fields.connect_timeout = milliseconds{0};
  for (auto name : {"url", "types"})
    if (body.is_null(name))
      body.fail(name, "required", "can't be taken away");
}

/// Splits a patch of the headers into those to take away and those to set.
void patch_headers(object_reader& body, const json_value& value,
                   endpoint_patch& patch, faults& found) {
  auto at = body.at("headers");
  if (value.kind != json_kind::object) {
    read_headers(value, at, found);
    return;
  }
  std::vector<std::string> removed;
  for (auto& [name, member] : members_of(value))
    if (member.kind == json_kind::null)
      removed.push_back(name);
  for (auto& field : read_headers(value, at, found, null_member::skipped))
    if (!is_masked(field)) // as it was shown: it stays as it is
      patch.headers.emplace_back(std::move(field.name), std::move(field.value));
  for (auto& name : removed)
    patch.headers.emplace_back(std::move(name), std::nullopt);
}

} // namespace

endpoint_draft read_endpoint(const json_value& value,
                             const address_guard& guard, faults& found) {
  endpoint_draft draft;
  if (!is_object(value, found))
    return draft;
  object_reader body{value, members, found};
  draft.tenant = body.required_text("tenant");
  draft.uid = body.text("uid").value_or("");
  for (auto name : {"tenant", "uid"}) {
    const auto& id = name[0] == 't' ? draft.tenant : draft.uid;
    if (!id.empty() && !is_id(id))
      body.fail(name, "bad_id", "must be 1 to 128 of A-Z a-z 0-9 _ -");
  }
  for (auto name : {"url", "types"})
    if (!body.find(name) || body.is_null(name))
      body.fail(name, "required", "is missing");
  draft.fields = read_fields(body, guard, found);
  if (auto* headers = body.find("headers"); headers && !body.is_null("headers"))
    draft.fields.headers = read_headers(*headers, body.at("headers"), found);
  read_secret(body, draft);
  return draft;
}

endpoint_patch read_endpoint_patch(const json_value& value,
                                   const address_guard& guard, faults& found) {
  endpoint_patch patch;
  if (!is_object(value, found))
    return patch;
  object_reader body{value, members, found};
  for (auto name : fixed)
    if (body.find(name))
      body.fail(name, "immutable", "can't be changed");
  patch.fields = read_fields(body, guard, found);
  reset(body, patch.fields);
  if (auto* headers = body.find("headers")) {
    if (headers->kind == json_kind::null)
      patch.fields.headers = std::vector<header>{};
    else
      patch_headers(body, *headers, patch, found);
  }
  return patch;
}

std::vector<header> merged(std::vector<header> headers,
                           const endpoint_patch& patch) {
  for (const auto& [name, value] : patch.headers) {
    auto same = [&name = name](const header& h) {
      return same_header_name(h.name, name);
    };
    headers.erase(std::remove_if(headers.begin(), headers.end(), same),
                  headers.end());
    if (value)
      headers.push_back({name, *value});
  }
  return headers;
}

} // namespace postrider::api
