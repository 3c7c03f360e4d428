// What must not be reached: other tenants, and addresses that are nobody's.
#include "tests/faults/fault_bench.hpp"
#include "tests/faults/seeded_runs.hpp"
#include "tests/support/dns_server.hpp"

#include <fmt/core.h>
#include <pqxx/pqxx>

#include <stdexcept>
#include <utility>

namespace postrider::testing {

namespace {

using namespace std::chrono_literals;

/// Each function that finds the receivers of an event, and what keeps it to
/// one tenant.
constexpr std::pair<const char*, const char*> predicates[] = {
    {"ingest_one", "s.tenant = tenant and "},
    {"receivers", "s.tenant = asked.tenant and "}};

void drop_predicates(const std::string& url) {
  pqxx::connection link{url};
  pqxx::work in{link};
  for (const auto& [function, predicate] : predicates) {
    auto text = in.exec1(fmt::format("select pg_get_functiondef(oid) "
                                     "from pg_proc where proname = '{}' and "
                                     "pronamespace = 'postrider'::regnamespace",
                                     function))[0]
                    .as<std::string>();
    const auto at = text.find(predicate);
    if (at == std::string::npos)
      throw std::logic_error{fmt::format("{} has no \"{}\" to drop any more",
                                         function, predicate)};
    in.exec(text.erase(at, std::string_view{predicate}.size()));
  }
  in.commit();
}

/// An endpoint of another tenant, for the same events.
void add_rival(fault_bench& bench) {
  bench.here().tenant("rival");
  const auto made = bench.here().call(
      "POST", "/v1/endpoints",
      fmt::format(R"({{"tenant":"rival","url":"{}","types":["*"]}})",
                  bench.shop().url("/rival")));
  const auto id = member(made.body, "id");
  bench.shop().expect("/rival", id, member(made.body, "secret"));
  bench.producer().write_durably(endpoint_line{id, "rival", true, true});
}

/// A receiver that nobody may reach.
class trap {
public:
  trap(fault_bench& bench, const std::string& address)
      : here_{[&bench, address](const arrival&) {
                bench.producer().write_durably(trap_line{address});
                return answer(204);
              },
              at(address)} {}

  receiver& raw() { return here_; }

private:
  static receiver::options at(const std::string& address) {
    receiver::options out;
    out.address = address;
    return out;
  }

  receiver here_;
};

} // namespace

std::vector<verdict> two_tenants(const std::string& defect, std::string& said) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start(defect);
  if (!defect.starts_with("none"))
    drop_predicates(bench.here().url());
  bench.endpoint();
  add_rival(bench);
  for (int i = 0; i < 20; ++i)
    bench.send(fmt::format("k{}", i));
  bench.drained(20s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

std::vector<verdict> redirect(const std::string& defect, std::string& said) {
  std::string elsewhere;
  fault_bench bench{[&elsewhere](const arrival&) {
    return answer(307, "", {{"Location", elsewhere}});
  }};
  trap nobodys{bench, "127.0.0.1"};
  elsewhere = nobodys.raw().url("/secrets");
  bench.start(defect);
  bench.endpoint();
  for (int i = 0; i < 5; ++i)
    bench.send(fmt::format("k{}", i));
  bench.drained(20s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

std::vector<verdict> two_addresses(const std::string& defect,
                                   std::string& said) {
  dns_server names{[](const dns_question& asked) {
    return asked.v6 ? std::vector<std::string>{}
                    : std::vector<std::string>{"127.0.0.1", "127.0.0.66"};
  }};
  fault_bench bench{[](const arrival&) { return answer(204); }};
  trap forbidden{bench, "127.0.0.66"};
  bench.start(defect + ";resolver.own_server=error",
              {{"GUARD__ALLOW", "127.0.0.1"},
               {"$FAILPOINT_NAME_SERVER_PORT", std::to_string(names.port())}});
  bench.here().tenant();
  bench.here().endpoint(
      fmt::format("http://two.example:{}/", forbidden.raw().port()), "*",
      R"("retry":"50ms 50ms")");
  for (int i = 0; i < 3; ++i)
    bench.send(fmt::format("k{}", i));
  bench.drained(20s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

} // namespace postrider::testing
