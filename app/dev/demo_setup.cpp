#include "app/dev/demo_setup.hpp"

#include "app/dev/demo_event.hpp"
#include "app/json_text.hpp"
#include "store/catalog.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace postrider::app {

namespace {

void remove_earlier(store::catalog& catalog) {
  store::page where;
  do {
    const auto found = catalog.endpoints(demo_tenant, where);
    for (const auto& one : found.rows)
      if (one.uid.starts_with("demo-"))
        catalog.delete_endpoint(one.id);
    where.before = found.next;
  } while (where.before != 0);
}

receiver_rules rules_of(const demo_endpoint& endpoint,
                        const std::string& secret) {
  receiver_rules rules;
  rules.key = signing_key::parse(secret);
  if (endpoint.path == "/flaky") {
    rules.fail_rate = 0.2;
    rules.fail_below = 2; // the third attempt always arrives
  }
  return rules;
}

} // namespace

const std::vector<demo_endpoint>& demo_endpoints() {
  static const std::vector<demo_endpoint> all{
      {"/billing", true}, {"/flaky", true}, {"/analytics", false}};
  return all;
}

void set_up_demo(const std::string& database, api_client& api, receiver& into) {
  store::catalog catalog{database};
  catalog.put_tenant(demo_tenant, "Demonstration");
  remove_earlier(catalog);
  for (const auto& endpoint : demo_endpoints()) {
    const auto answer = api.post(
        "/v1/endpoints",
        fmt::format(R"({{"tenant":"{}","uid":"demo-{}","url":"{}",)"
                    R"("types":["*"],"ordering":"{}","ordering_key":"event",)"
                    R"("retry":"200ms 1s 5s"}})",
                    demo_tenant, endpoint.path.substr(1),
                    into.url(endpoint.path),
                    endpoint.ordered ? "fifo" : "none"));
    const auto secret = json_member(answer.body, "secret");
    auto rules = rules_of(endpoint, secret);
    if (answer.status != 201 || !rules.key)
      throw std::runtime_error{
          fmt::format("can't make the endpoint {}: {} {} {}", endpoint.path,
                      answer.status, answer.body, answer.fault)};
    into.serve(endpoint.path, std::move(rules));
  }
}

} // namespace postrider::app
