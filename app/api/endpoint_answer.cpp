#include "app/api/endpoint_answer.hpp"

#include "app/api/etag.hpp"
#include "app/api/views.hpp"

namespace postrider::api {

problem no_endpoint() {
  return not_found("there is no such endpoint");
}

void answer_endpoint(call& to, int status, const store::endpoint_row& row,
                     std::string_view secret) {
  json_writer out;
  write_endpoint(out, row, secret);
  std::vector<header> headers{{"ETag", etag_of(row.version)}};
  if (status == 201)
    headers.push_back(
        {"Location", "/v1/endpoints/" + endpoint_public_id(row.id)});
  answer_json(to, status, std::move(out), std::move(headers));
}

} // namespace postrider::api
