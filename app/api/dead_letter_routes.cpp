#include "app/api/dead_letter_filter.hpp"
#include "app/api/delivery_list.hpp"
#include "app/api/media.hpp"
#include "app/api/routes.hpp"

#include <limits>

namespace postrider::api {

namespace {

constexpr std::string_view list_name = "dead-letters";
constexpr std::string_view walk_name = "dead-letter-walk";

const std::vector<std::string> members{"tenant", "endpoint",    "error",
                                       "reason", "since",       "until",
                                       "cursor", "expect_count"};

/// What a caller wants to have done with which.
struct order {
  store::dead_letter_filter filter;
  std::int64_t expected = 0;
  std::optional<store::dead_letter_place> from;
};

std::variant<order, problem> read_order(const call& request) {
  auto text = read_json(request.request.body);
  if (auto* fault = std::get_if<json_fault>(&text))
    return malformed_json(*fault);
  const auto& value = std::get<json_value>(text);
  faults found;
  if (value.kind != json_kind::object) {
    found.add("", "wrong_type",
              "must be an object, not " + std::string{describe(value.kind)});
    return invalid_body(found);
  }
  object_reader body{value, members, found};
  order wanted;
  wanted.filter = read_dead_letter_filter(body);
  auto expected =
      body.whole("expect_count", 0, std::numeric_limits<int>::max());
  if (auto cursor = body.text("cursor")) {
    auto key = read_cursor(walk_name, *cursor);
    auto numbers = key ? numbers_of(*key, 2) : std::nullopt;
    if (numbers)
      wanted.from = {(*numbers)[0], (*numbers)[1]};
    else
      body.fail("cursor", "bad_cursor", "take it from next_cursor");
  } else if (!body.find("expect_count")) {
    body.fail("expect_count", "required",
              "is missing: give the count of GET /v1/dead-letters/summary with "
              "the same filter");
  }
  wanted.expected = expected.value_or(0);
  if (!found.empty())
    return invalid_body(found);
  return wanted;
}

void carry_out(call& request, store::catalog& db,
               store::dead_letter_action action, const order& wanted) {
  auto from = wanted.from;
  if (!from) {
    std::int64_t count = 0;
    from = db.count_dead_letters(wanted.filter, wanted.expected, count);
    if (!from)
      return answer(request,
                    problem{409,
                            "count_changed",
                            "there are " + std::to_string(count) + " by now, "
                                + std::to_string(wanted.expected)
                                + " were expected; nothing was done",
                            {},
                            {}});
  }
  const auto result = db.treat_dead_letters(action, wanted.filter, *from);
  const bool retry = action == store::dead_letter_action::retry;
  if (retry && result.done > 0)
    request.on->engine.changed();
  json_writer out;
  out.begin_object();
  out.key(retry ? "retried" : "purged").number(result.done);
  out.key("skipped").number(result.skipped);
  out.key("has_more").boolean(result.next.has_value());
  out.key("next_cursor");
  if (result.next)
    out.string(make_cursor(
        walk_name, key_of({result.next->moment, result.next->delivery})));
  else
    out.null();
  out.end_object();
  answer_json(request, 200, std::move(out));
}

void treat(call_ptr request, store::dead_letter_action action) {
  if (auto refused = refuse_media_type(*request, {"application/json"}))
    return answer(*request, std::move(*refused));
  auto wanted = read_order(*request);
  if (auto* refused = std::get_if<problem>(&wanted))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request), [action, wanted = std::get<order>(wanted)](
                                    call& of, store::catalog& db) {
    carry_out(of, db, action, wanted);
  });
}

} // namespace

void get_dead_letters(call_ptr request) {
  answer_list(
      std::move(request),
      {list_name,
       1,
       {"tenant", "endpoint", "error", "reason", "since", "until"}},
      [](const query_values& query) { return read_dead_letter_filter(query); },
      [](store::catalog& db, const store::dead_letter_filter& dead,
         const list_place& place) {
        store::delivery_filter filter;
        filter.tenant = dead.tenant;
        filter.endpoint = dead.endpoint;
        filter.state = state_of(dead);
        filter.dead = dead;
        return deliveries_of(db, filter, place);
      },
      write_dead_letter);
}

void get_dead_letter_summary(call_ptr request) {
  auto query = read_query(
      *request, {"tenant", "endpoint", "error", "reason", "since", "until"});
  if (auto* refused = std::get_if<problem>(&query))
    return answer(*request, std::move(*refused));
  auto filter = read_dead_letter_filter(std::get<query_values>(query));
  if (auto* refused = std::get_if<problem>(&filter))
    return answer(*request, std::move(*refused));
  ask_store(std::move(request), [filter = std::get<store::dead_letter_filter>(
                                     filter)](call& of, store::catalog& db) {
    const auto summary = db.dead_letters(filter);
    json_writer out;
    out.begin_object().key("count").number(summary.count);
    out.key("groups").number(summary.groups);
    out.key("data").begin_array();
    for (const auto& one : summary.first) {
      out.begin_object();
      out.key("endpoint").string(endpoint_public_id(one.endpoint));
      out.key("tenant").string(one.tenant);
      out.key("error").string(one.error);
      out.key("count").number(one.count);
      out.key("oldest_at").string(to_rfc3339(one.oldest));
      out.key("newest_at").string(to_rfc3339(one.newest));
      out.end_object();
    }
    out.end_array().end_object();
    answer_json(of, 200, std::move(out));
  });
}

void retry_dead_letters(call_ptr request) {
  treat(std::move(request), store::dead_letter_action::retry);
}

void purge_dead_letters(call_ptr request) {
  treat(std::move(request), store::dead_letter_action::purge);
}

} // namespace postrider::api
