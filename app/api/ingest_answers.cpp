#include "app/api/ingest_answers.hpp"

namespace postrider::api {

std::optional<problem> refusal_of(const ingest_result& result,
                                  key_source source) {
  using status = ingest_result::status;
  switch (result.what) {
  case status::accepted:
  case status::duplicate:
    return {};
  case status::key_conflict:
    if (source == key_source::header)
      return problem{422,
                     "idempotency_key_reused",
                     "another event was sent with this Idempotency-Key",
                     {},
                     {}};
    return problem{409,
                   "event_id_conflict",
                   "another event was sent with this id",
                   {{"/id", "event_id_conflict", "belongs to another event"}},
                   {}};
  case status::unknown_tenant:
    return problem{422,
                   "unknown_tenant",
                   "make the tenant first: PUT /v1/tenants/{id}",
                   {{"/tenant", "unknown_tenant", "is not known"}},
                   {}};
  case status::not_one_receiver:
    return problem{422,
                   "not_one_receiver",
                   "none or several endpoints want this command",
                   {{"/type", "not_one_receiver",
                     "must be wanted by exactly one endpoint"}},
                   {}};
  }
  return problem{};
}

std::optional<problem> refusal_of(const ingest_answer& answer) {
  using status = ingest_answer::status;
  switch (answer.what) {
  case status::stored:
    return {};
  case status::overloaded:
    return try_again("overloaded", "the queue is full; nothing was stored");
  case status::unavailable:
    return try_again("storage_unavailable",
                     "send it again with the same id or key");
  case status::draining:
    return try_again("draining", "this node is stopping; nothing was stored");
  }
  return problem{};
}

int status_of(const ingest_result& result) {
  return result.what == ingest_result::status::duplicate ? 200 : 201;
}

} // namespace postrider::api
