#include "core/public_id.hpp"
#include "core/retry.hpp"
#include "core/uuid.hpp"
#include "store/catalog_endpoints.hpp"
#include "store/error.hpp"
#include "store/header_json.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <ranges>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;

// Of two creations with one uid the second waits for the first to commit and
// then inserts nothing. Dense ids spread evenly over the partitions.
constexpr const char* create_sql = R"(
insert into postrider.endpoint (id, public_id, tenant, uid, url, partition)
overriding system value
select fresh.id, $1::uuid, $2, nullif($3, ''), $4,
       fresh.id % (select count(*) from postrider.partition)
from (select nextval(pg_get_serial_sequence('postrider.endpoint', 'id')) as id)
       as fresh
on conflict (tenant, uid) where deleted_at is null do nothing
returning id)";

constexpr const char* change_sql = R"(
update postrider.endpoint
set url = coalesce($2, url),
    description = coalesce($3, description),
    ordering = coalesce($4, ordering),
    ordering_key = coalesce($5, ordering_key),
    retry = coalesce($6, retry),
    max_age = coalesce($7::int8 * interval '1 ms', max_age),
    headers = coalesce($8::jsonb, headers),
    max_in_flight = coalesce($9::int4, max_in_flight),
    timeout_ms = nullif(coalesce($10::int4, timeout_ms), 0),
    connect_timeout_ms = nullif(coalesce($11::int4, connect_timeout_ms), 0),
    rate = nullif(coalesce($12::float8, rate), 0),
    retry_statuses = nullif(coalesce($13, retry_statuses), ''),
    health_policy = coalesce($14, health_policy)
where id = $1::int8)";

// nullptr stands for null, as pqxx takes it.
const char* or_null(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

template <class From, class To>
std::optional<std::string> text_if(const std::optional<From>& value, To to) {
  if (!value)
    return std::nullopt;
  return to(*value);
}

std::string milliseconds_text(milliseconds span) {
  return fmt::format("{}", span.count());
}

milliseconds max_age_of(const std::string& retry) {
  const auto read = read_retry_policy(retry);
  if (const auto* fault = std::get_if<retry_fault>(&read))
    throw error{error::kind::conflict, "retry: " + fault->what};
  return std::get<retry_policy>(read).max_age;
}

void write_fields(pqxx::work& work, std::int64_t key,
                  const endpoint_fields& to) {
  const auto max_age = text_if(to.retry, [](const std::string& retry) {
    return milliseconds_text(max_age_of(retry));
  });
  const auto headers = text_if(
      to.headers, [](const auto& list) { return format_headers(list); });
  const auto in_flight = text_if(
      to.max_in_flight, [](int count) { return fmt::format("{}", count); });
  const auto rate =
      text_if(to.rate, [](double number) { return fmt::format("{}", number); });
  const auto timeout = text_if(to.timeout, milliseconds_text);
  const auto connect = text_if(to.connect_timeout, milliseconds_text);
  work.exec_params0(change_sql, key, or_null(to.url), or_null(to.description),
                    or_null(to.ordering), or_null(to.ordering_key),
                    or_null(to.retry), or_null(max_age), or_null(headers),
                    or_null(in_flight), or_null(timeout), or_null(connect),
                    or_null(rate), or_null(to.retry_statuses),
                    or_null(to.health_policy));
  if (!to.types)
    return;
  work.exec_params0("delete from postrider.subscription where endpoint = $1",
                    key);
  work.exec_params0("insert into postrider.subscription (tenant, pattern, "
                    "endpoint) select distinct e.tenant, p.pattern, e.id "
                    "from postrider.endpoint e, unnest($2::text[]) "
                    "as p(pattern) where e.id = $1::int8",
                    key, text_array(*to.types));
}

uuid fresh_id() {
  std::array<std::uint8_t, 10> random{};
  const auto bytes = random_bytes(random.size());
  std::ranges::copy(bytes, random.begin());
  return make_uuid_v7(std::chrono::time_point_cast<milliseconds>(
                          std::chrono::system_clock::now()),
                      random);
}

} // namespace

std::optional<endpoint_row>
catalog::create_endpoint(const std::string& tenant, const std::string& uid,
                         const endpoint_fields& fields,
                         const std::vector<signing_key>& keys) {
  if (!keys.empty() && !impl_->box)
    throw error{error::kind::broken,
                "there is no key to seal secrets with: set "
                "storage.secret_key_file"};
  return impl_->link.run([&](pqxx::work& work) -> std::optional<endpoint_row> {
    // Held until the endpoint is there: a removal of the tenant sees it.
    if (work.exec_params("select from postrider.tenant where id = $1 "
                         "for key share",
                         tenant)
            .empty())
      return std::nullopt;
    const auto id = fresh_id();
    const auto made = work.exec_params(create_sql, to_string(id), tenant, uid,
                                       or_null(fields.url));
    if (made.empty())
      throw error{error::kind::conflict,
                  fmt::format("uid: `{}` is taken by another endpoint of this "
                              "tenant",
                              uid)};
    const auto key = made[0][0].as<std::int64_t>();
    write_fields(work, key, fields);
    // The highest id is the newest secret.
    for (const auto& secret : keys | std::views::reverse) {
      const auto sealed =
          impl_->box->seal(secret.bytes(), endpoint_public_id(id));
      work.exec_params0("insert into postrider.endpoint_secret "
                        "(endpoint, sealed) values ($1, $2)",
                        key, pqxx::binarystring{sealed});
    }
    return find_endpoint(work, id);
  });
}

std::optional<endpoint_row>
catalog::change_endpoint(const uuid& id, const endpoint_fields& fields,
                         std::optional<std::int64_t> expected) {
  return impl_->link.run([&](pqxx::work& work) -> std::optional<endpoint_row> {
    // Locked, so that of two changes with one If-Match the second fails.
    const auto found = work.exec_params(
        "select id, version from postrider.endpoint "
        "where public_id = $1::uuid and deleted_at is null for update",
        to_string(id));
    if (found.empty())
      return std::nullopt;
    const auto version = found[0]["version"].as<std::int64_t>();
    if (expected && *expected != version)
      throw error{
          error::kind::conflict,
          fmt::format("version: it is {} now, not {}", version, *expected)};
    write_fields(work, found[0]["id"].as<std::int64_t>(), fields);
    return find_endpoint(work, id);
  });
}

} // namespace postrider::store
