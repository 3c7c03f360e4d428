#include "store/workbench.hpp"

#include "store/error.hpp"
#include "store/session.hpp"

#include <pqxx/pqxx>
#include <utility>

namespace postrider::store {

namespace {

constexpr const char* nobody = "00000000-0000-0000-0000-000000000000";

} // namespace

class workbench::impl {
public:
  explicit impl(std::string url)
      : url_{std::move(url)}, session_{url_, "postrider bench"} {}

  template <class Value, class... Params>
  Value ask(const char* sql, Params... given) {
    return session_.run([&](pqxx::work& work) {
      return work.exec_params1(sql, given...)[0].template as<Value>();
    });
  }

  bool settle() {
    // Neither runs in a transaction block.
    pqxx::connection link{url_};
    pqxx::nontransaction plain{link};
    plain.exec0("vacuum (analyze) postrider.delivery, postrider.event, "
                "postrider.attempt, postrider.event_key, postrider.endpoint, "
                "postrider.endpoint_secret, postrider.subscription, "
                "postrider.partition");
    try {
      plain.exec0("checkpoint");
      return true;
    } catch (const pqxx::insufficient_privilege&) {
      return false;
    }
  }

  session& link() { return session_; }

private:
  std::string url_;
  session session_;
};

workbench::workbench(std::string url)
    : impl_{std::make_unique<impl>(std::move(url))} {}
workbench::~workbench() = default;

bool workbench::foreign(names tenants) {
  return impl_->ask<bool>(
      R"(select exists (select from postrider.event
                        where tenant <> all ($1::text[])
                          and tenant <> 'postrider')
             or exists (select from postrider.endpoint
                        where tenant <> all ($1::text[])
                          and deleted_at is null)
             or exists (select from postrider.delivery as d
                        left join postrider.endpoint as e on e.id = d.endpoint
                        where coalesce(e.tenant <> all ($1::text[]), true)))",
      text_array(tenants));
}

bool workbench::anything_open(names tenants) {
  return impl_->ask<bool>(
      R"(select exists (select from postrider.delivery as d
         join postrider.endpoint as e on e.id = d.endpoint
         where e.tenant = any ($1::text[])))",
      text_array(tenants));
}

std::vector<std::int64_t> workbench::endpoints(names tenants) {
  return impl_->link().run([&](pqxx::work& work) {
    std::vector<std::int64_t> all;
    for (const auto& row : work.exec_params(
             "select id from postrider.endpoint where deleted_at is null "
             "and tenant = any ($1::text[]) order by id",
             text_array(tenants)))
      all.push_back(row[0].as<std::int64_t>());
    return all;
  });
}

std::int64_t workbench::open(endpoint_ids endpoints) {
  return impl_->ask<std::int64_t>("select count(*) from postrider.delivery "
                                  "where endpoint = any ($1::bigint[])",
                                  number_array(endpoints));
}

bool workbench::anything_open(endpoint_ids endpoints) {
  // A walk of the index would cost a run more than its last deliveries: it
  // goes over all that has left and is not vacuumed yet.
  return impl_->ask<bool>("select exists (select from postrider.delivery "
                          "where endpoint + 0 = any ($1::bigint[]))",
                          number_array(endpoints));
}

std::int64_t workbench::held(endpoint_ids endpoints) {
  return impl_->ask<std::int64_t>(
      "select count(*) from postrider.delivery "
      "where endpoint = any ($1::bigint[]) and due_at = 'infinity'",
      number_array(endpoints));
}

void workbench::forget(endpoint_ids endpoints) {
  impl_->link().run([&](pqxx::work& work) {
    const auto ids = number_array(endpoints);
    work.exec_params0("delete from postrider.delivery "
                      "where endpoint = any ($1::bigint[])",
                      ids);
    work.exec_params0("delete from postrider.endpoint_health "
                      "where endpoint = any ($1::bigint[])",
                      ids);
  });
}

std::int64_t workbench::last_delivery() {
  return impl_->ask<std::int64_t>(
      "select case when is_called then last_value else 0 end "
      "from postrider.delivery_id");
}

workbench::stored workbench::since(endpoint_ids endpoints,
                                   std::int64_t delivery) {
  return impl_->link().run([&](pqxx::work& work) {
    const auto row = work.exec_params1(
        R"(select count(*) filter (where final and outcome = 'succeeded'),
                  count(*), count(*) filter (where sent)
           from postrider.attempt
           where endpoint = any ($1::bigint[]) and delivery > $2)",
        number_array(endpoints), delivery);
    return stored{row[0].as<std::int64_t>(), row[1].as<std::int64_t>(),
                  row[2].as<std::int64_t>()};
  });
}

workbench::health_moves workbench::moves(const std::string& tenant) {
  return impl_->link().run([&](pqxx::work& work) {
    const auto row = work.exec_params1(
        R"(select count(*) filter (where now_is > was),
                  count(*) filter (where now_is < was)
           from (select array_position(states, about ->> 'from') as was,
                        array_position(states, about ->> 'to') as now_is
                 from (select convert_from(payload, 'UTF8')::jsonb as about,
                              array['healthy', 'degraded', 'suspended',
                                    'disabled'] as states
                       from postrider.event
                       where tenant = 'postrider'
                         and type like 'endpoint.%') as told
                 where about ->> 'tenant' = $1) as moved)",
        tenant);
    return health_moves{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
  });
}

bool workbench::settle() {
  try {
    return impl_->settle();
  } catch (const std::exception& fault) {
    throw error{error::kind::broken, fault.what()};
  }
}

bool workbench::in_use() {
  return impl_->ask<bool>("select exists (select from postrider.partition "
                          "where owner <> $1::uuid and expires_at > now())",
                          nobody);
}

void workbench::keep_leases() {
  impl_->link().run([](pqxx::work& work) {
    work.exec_params0("update postrider.partition set owner = $1::uuid, "
                      "epoch = epoch + 1, "
                      "expires_at = now() + interval '10 min'",
                      nobody);
  });
}

void workbench::free_leases() {
  impl_->link().run([](pqxx::work& work) {
    work.exec0("update postrider.partition set owner = null, "
               "expires_at = '-infinity' where owner is not null");
  });
}

bool workbench::leased() {
  return impl_->ask<bool>("select bool_and(owner is not null and "
                          "expires_at > now()) from postrider.partition");
}

bool workbench::shared_by(int nodes) {
  return impl_->ask<bool>(
      R"(select count(*) = $1 and sum(held) = 256 and min(held) >= 256 / $1
         from (select count(*) as held from postrider.partition
               where owner is not null and expires_at > now()
               group by owner) as each)",
      nodes);
}

std::int64_t workbench::wal() {
  return impl_->ask<std::int64_t>(
      "select (pg_current_wal_lsn() - '0/0')::bigint");
}

pid_t workbench::backend() {
  return impl_->ask<pid_t>("select pg_backend_pid()");
}

std::map<std::string, std::string> workbench::settings() {
  return impl_->link().run([](pqxx::work& work) {
    std::map<std::string, std::string> found;
    for (const auto& row : work.exec(
             R"(select name, current_setting(name) from pg_settings
                where name in ('server_version', 'fsync', 'synchronous_commit',
                  'full_page_writes', 'shared_buffers', 'max_wal_size',
                  'wal_compression', 'data_checksums', 'wal_level',
                  'checkpoint_timeout', 'autovacuum'))"))
      found.emplace(row[0].as<std::string>(), row[1].as<std::string>());
    return found;
  });
}

} // namespace postrider::store
