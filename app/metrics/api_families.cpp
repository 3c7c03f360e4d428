#include "app/api/routes.hpp"
#include "app/metrics/families.hpp"

namespace postrider::app::metrics {

namespace {

std::string status_text(int status) {
  return status == 0 ? "other" : std::to_string(status);
}

void add_route(page& to, const api::route_meters& of, const std::string& route,
               const std::string& method) {
  // Only what was seen: the whole cross of routes and statuses is large.
  for (std::size_t i = 0; i < of.statuses.size(); ++i)
    if (of.statuses[i].value() > 0)
      to.counter("postrider_http_requests_total", "Calls of the API answered.",
                 of.statuses[i],
                 {{"route", route},
                  {"method", method},
                  {"code", status_text(api::known_statuses[i])}});
  to.histogram("postrider_http_request_duration_seconds",
               "From a whole request to its answer.", of.duration, nanoseconds,
               {{"route", route}, {"method", method}});
}

} // namespace

void add_api(page& to, const sources& from) {
  const auto& all = from.calls.by_route();
  const auto known = api::routes();
  for (std::size_t i = 0; i < known.size(); ++i)
    add_route(to, all[i], std::string{known[i].path},
              std::string{known[i].method});
  add_route(to, all.back(), "other", "other");
  to.gauge("postrider_http_requests_in_flight", "Calls being handled.",
           static_cast<double>(from.calls.in_flight), {{"listener", "api"}});
  to.gauge("postrider_http_connections", "Open connections of callers.",
           static_cast<double>(from.api ? from.api->connections() : 0),
           {{"listener", "api"}});
  to.gauge("postrider_http_connections", "",
           static_cast<double>(from.admin.connections()),
           {{"listener", "admin"}});
}

} // namespace postrider::app::metrics
