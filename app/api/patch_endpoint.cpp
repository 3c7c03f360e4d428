#include "app/api/endpoint_answer.hpp"
#include "app/api/endpoint_body.hpp"
#include "app/api/etag.hpp"
#include "app/api/header_body.hpp"
#include "app/api/media.hpp"
#include "app/api/routes.hpp"

namespace postrider::api {

namespace {

constexpr int most_rounds = 5;

problem too_many_headers() {
  faults found;
  found.add("/headers", "too_many", "must be at most 50 headers");
  return invalid_body(found);
}

/// What to write: `fields`, with the headers of the present row merged in and
/// the version they were read at.
struct change {
  store::endpoint_fields fields;
  std::optional<std::int64_t> expected;
};

std::variant<change, problem> plan(store::catalog& db, const uuid& id,
                                   const endpoint_patch& patch,
                                   std::optional<std::int64_t> wanted) {
  change result{patch.fields, wanted};
  if (patch.headers.empty())
    return result;
  auto row = db.endpoint(id);
  if (!row)
    return no_endpoint();
  if (wanted && row->version != *wanted)
    return precondition_failed();
  result.fields.headers = merged(row->headers, patch);
  if (result.fields.headers->size() > most_headers)
    return too_many_headers();
  result.expected = row->version;
  return result;
}

void apply(call& request, store::catalog& db, const uuid& id,
           const endpoint_patch& patch, std::optional<std::int64_t> wanted) {
  for (int round = 0; round < most_rounds; ++round) {
    auto planned = plan(db, id, patch, wanted);
    if (auto* refused = std::get_if<problem>(&planned))
      return answer(request, std::move(*refused));
    const auto& [fields, expected] = std::get<change>(planned);
    std::optional<store::endpoint_row> row;
    try {
      row = db.change_endpoint(id, fields, expected);
    } catch (const store::error& error) {
      if (error.what_kind() != store::error::kind::conflict)
        throw;
      // Without If-Match, only our own merge has met another writer.
      if (wanted || !expected)
        return answer(request, precondition_failed());
      continue;
    }
    if (!row)
      return answer(request, no_endpoint());
    request.on->engine.changed();
    return answer_endpoint(request, 200, *row);
  }
  answer(request, try_again("overloaded", "others keep changing it"));
}

} // namespace

void patch_endpoint(call_ptr request) {
  if (auto refused = refuse_media_type(
          *request, {"application/merge-patch+json", "application/json"}))
    return answer(*request, std::move(*refused));
  auto id = parse_endpoint_id(request->parameter);
  if (!id)
    return answer(*request, no_endpoint());
  auto wanted = read_if_match(*request);
  if (auto* refused = std::get_if<problem>(&wanted))
    return answer(*request, std::move(*refused));
  auto text = read_json(request->request.body);
  if (auto* fault = std::get_if<json_fault>(&text))
    return answer(*request, malformed_json(*fault));
  faults found;
  auto patch = read_endpoint_patch(std::get<json_value>(text),
                                   request->on->options.guard, found);
  refuse_prefix(merged({}, patch), request->on->options.header_prefix,
                "/headers", found);
  if (!found.empty())
    return answer(*request, invalid_body(found));
  ask_store(std::move(request),
            [id = *id, patch = std::move(patch),
             version = std::get<0>(wanted)](call& of, store::catalog& db) {
              apply(of, db, id, patch, version);
            });
}

} // namespace postrider::api
