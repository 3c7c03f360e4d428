#include "app/metrics/families.hpp"

namespace postrider::app::metrics {

namespace {

using net::http_client_meters;
using loop_list = std::vector<const http_client_meters*>;

double sum(const loop_list& loops, count http_client_meters::*which) {
  std::uint64_t all = 0;
  for (const auto* one : loops)
    all += (one->*which).value();
  return static_cast<double>(all);
}

distribution sum(const loop_list& loops,
                 request_times http_client_meters::*which) {
  distribution all;
  all.buckets.resize(request_times::bounds().size() + 1);
  for (const auto* one : loops)
    (one->*which).add_to(all);
  return all;
}

} // namespace

void add_client(page& to, const sources& from) {
  const auto loops = from.engine.loops();
  const auto now = from.engine.connections();
  constexpr auto open = "postrider_client_connections";
  to.gauge(open, "Connections to receivers.", static_cast<double>(now.idle),
           {{"state", "idle"}});
  to.gauge(open, "", static_cast<double>(now.active), {{"state", "active"}});
  to.counter("postrider_client_connections_opened_total",
             "Connections to receivers that were made.",
             sum(loops, &http_client_meters::opened));
  constexpr auto reused = "postrider_client_requests_reused_total";
  to.counter(reused, "Requests by whether their connection was there already.",
             sum(loops, &http_client_meters::reused), {{"reused", "yes"}});
  to.counter(reused, "", sum(loops, &http_client_meters::fresh),
             {{"reused", "no"}});
  const std::pair<const char*, request_times http_client_meters::*> phases[] = {
      {"dns", &http_client_meters::dns},
      {"connect", &http_client_meters::connect},
      {"tls", &http_client_meters::tls},
      {"first_byte", &http_client_meters::first_byte}};
  for (const auto& [name, which] : phases)
    to.histogram("postrider_attempt_phase_seconds",
                 "Parts of an attempt; first_byte is from its start.",
                 request_times::bounds(), sum(loops, which), nanoseconds,
                 {{"phase", name}});
  constexpr auto lookups = "postrider_dns_lookups_total";
  to.counter(lookups,
             "Lookups of names; none is kept, so that there is no hit.",
             sum(loops, &http_client_meters::lookups), {{"result", "miss"}});
  to.counter(lookups, "", sum(loops, &http_client_meters::failed_lookups),
             {{"result", "failure"}});
  to.histogram("postrider_dns_lookup_duration_seconds",
               "Time that the resolver took.", request_times::bounds(),
               sum(loops, &http_client_meters::lookup), nanoseconds);
  for (std::size_t i = 0; i < net::guard_words.size(); ++i) {
    std::uint64_t all = 0;
    for (const auto* one : loops)
      all += one->blocked[i].value();
    to.counter("postrider_address_blocked_total",
               "Connections that the address guard refused.",
               static_cast<double>(all),
               {{"range", std::string{net::guard_words[i]}}});
  }
}

} // namespace postrider::app::metrics
