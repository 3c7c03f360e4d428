#include "store/bench_rows.hpp"

#include "core/public_id.hpp"
#include "core/secret_box.hpp"
#include "core/signature.hpp"
#include "store/error.hpp"
#include "store/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <pqxx/pqxx>
#include <utility>
#include <vector>

namespace postrider::store {

namespace {

using namespace std::chrono_literals;

// Ids are drawn as `catalog::create_endpoint` draws them.
constexpr const char* make_idle_sql = R"(
with given as materialized (
  select nextval(pg_get_serial_sequence('postrider.endpoint', 'id')) as id,
         g.public_id, g.sealed, g.number
  from unnest($3::uuid[], $4::text[]) with ordinality
    as g(public_id, sealed, number)
), made as (
  insert into postrider.endpoint (id, public_id, tenant, uid, url, partition)
  overriding system value
  select id, public_id, $1::text, 'idle-' || number, $2::text,
         id % (select count(*) from postrider.partition)
  from given
  returning id
), wanted as (
  insert into postrider.subscription (tenant, pattern, endpoint)
  select $1::text, 'bench.idle.' || number, id from given
)
insert into postrider.endpoint_secret (endpoint, sealed)
select given.id, decode(given.sealed, 'hex')
from given join made on made.id = given.id)";

// Delivery ids are drawn in the order of the numbers: it is the order of
// sending.
constexpr const char* write_backlog_sql = R"(
with given as materialized (
  select n, ($1::bigint[])[1 + n % cardinality($1::bigint[])] as endpoint,
         nextval('postrider.delivery_id') as id,
         (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0')
          || '7' || substr(gen_random_uuid()::text, 16))::uuid as event
  from generate_series($2::bigint, $2::bigint + $3::bigint - 1) as n
), payload as materialized (
  select n, convert_to($4::text || lpad(n::text, $5::int, '0') || $6::text
                       || lpad($7::text, $8::int, '0') || $9::text,
                       'UTF8') as bytes
  from given
), queued as (
  insert into postrider.delivery (id, endpoint, stream, deadline, event, size,
                                  partition, state, due_at)
  select g.id, e.id, 0, now() + e.max_age, g.event, octet_length(p.bytes),
         e.partition, case when $10::bool then 'held' else 'queued' end,
         case when $10::bool then 'infinity'::timestamptz end
  from given as g
  join payload as p on p.n = g.n
  join postrider.endpoint as e on e.id = g.endpoint
)
insert into postrider.event (id, tenant, kind, type, content_type,
                             first_delivery, last_delivery, deliveries, payload)
select g.event, $11::text, 'event', $12::text, 'application/json',
       g.id, g.id, 1, p.bytes
from given as g join payload as p on p.n = g.n)";

/// Rows of one statement: it has to end within the statement timeout.
constexpr std::uint64_t backlog_step = 20'000;

database patient(const std::string& url) {
  database where{url};
  where.statement_timeout = 10min;
  return where;
}

std::string hex(const std::string& bytes) {
  std::string out;
  for (const auto byte : bytes)
    out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

uuid random_id() {
  std::array<std::uint8_t, 10> random{};
  std::ranges::copy(random_bytes(random.size()), random.begin());
  return make_uuid_v7(std::chrono::time_point_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now()),
                      random);
}

} // namespace

class bench_rows::impl {
public:
  explicit impl(std::string where)
      : url{std::move(where)}, link{patient(url), "postrider bench"} {}

  std::string url;
  session link;
  std::optional<pqxx::connection> horizon_link;
  std::optional<pqxx::transaction<pqxx::isolation_level::repeatable_read>>
      horizon;
};

bench_rows::bench_rows(const std::string& url)
    : impl_{std::make_unique<impl>(url)} {}
bench_rows::~bench_rows() = default;

void bench_rows::make_idle(const idle_endpoints& what) {
  const auto box = secret_box::make(what.secret_key);
  if (!box)
    throw error{error::kind::broken, "there is no key to seal secrets with"};
  std::vector<std::string> ids;
  std::vector<std::string> sealed;
  for (std::size_t i = 0; i < what.count; ++i) {
    const auto id = random_id();
    ids.push_back(to_string(id));
    sealed.push_back(hex(box->seal(random_bytes(32), endpoint_public_id(id))));
  }
  impl_->link.run([&](pqxx::work& work) {
    work.exec_params0(make_idle_sql, what.tenant, what.url, text_array(ids),
                      text_array(sealed));
  });
}

void bench_rows::remove_idle(const std::string& tenant) {
  impl_->link.run([&](pqxx::work& work) {
    work.exec_params0("delete from postrider.endpoint where tenant = $1 "
                      "and uid like 'idle-%'",
                      tenant);
  });
}

void bench_rows::write_backlog(const backlog& what) {
  const auto& payload = what.payload;
  for (std::uint64_t done = 0; done < what.count; done += backlog_step)
    impl_->link.run([&](pqxx::work& work) {
      work.exec("select postrider.make_partitions(1)");
      // As for every producer: first the transaction's id, then deliveries'.
      work.exec("select pg_current_xact_id()");
      work.exec_params0(
          write_backlog_sql, number_array(what.endpoints), what.first + done,
          std::min(backlog_step, what.count - done), payload.before_number,
          payload.number_digits, payload.before_moment,
          std::to_string(what.moment), payload.moment_digits, payload.rest,
          what.held, what.tenant, what.type);
    });
}

void bench_rows::pause(std::int64_t endpoint) {
  impl_->link.run([&](pqxx::work& work) {
    work.exec_params1("select postrider.operate_health($1, 'ep_bench', "
                      "'pause', '')",
                      endpoint);
  });
}

std::int64_t bench_rows::make_due(endpoint_ids endpoints) {
  return impl_->link.run([&](pqxx::work& work) {
    return static_cast<std::int64_t>(
        work.exec_params0("update postrider.delivery set due_at = now() "
                          "where state = 'retrying' "
                          "and endpoint = any ($1::bigint[])",
                          number_array(endpoints))
            .affected_rows());
  });
}

void bench_rows::hold_horizon() {
  try {
    impl_->horizon_link.emplace(impl_->url);
    impl_->horizon.emplace(*impl_->horizon_link);
    // The first statement takes the snapshot.
    impl_->horizon->exec1("select count(*) from postrider.partition");
  } catch (const std::exception& fault) {
    throw error{error::kind::broken, fault.what()};
  }
}

} // namespace postrider::store
