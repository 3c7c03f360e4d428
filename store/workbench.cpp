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

bool workbench::foreign(const std::string& tenant) {
  return impl_->ask<bool>(
      R"(select exists (select from postrider.event where tenant <> $1)
             or exists (select from postrider.endpoint
                        where tenant <> $1 and deleted_at is null)
             or exists (select from postrider.delivery as d
                        left join postrider.endpoint as e on e.id = d.endpoint
                        where e.tenant is distinct from $1))",
      tenant);
}

std::int64_t workbench::open(const std::string& tenant) {
  return impl_->ask<std::int64_t>(
      R"(select count(*) from postrider.delivery as d
         join postrider.endpoint as e on e.id = d.endpoint
         where e.tenant = $1)",
      tenant);
}

bool workbench::anything_open(const std::string& tenant) {
  return impl_->ask<bool>(
      R"(select exists (select from postrider.delivery as d
         join postrider.endpoint as e on e.id = d.endpoint
         where e.tenant = $1))",
      tenant);
}

std::int64_t workbench::last_delivery() {
  return impl_->ask<std::int64_t>(
      "select case when is_called then last_value else 0 end "
      "from postrider.delivery_id");
}

workbench::stored workbench::since(const std::string& tenant,
                                   std::int64_t delivery) {
  return impl_->link().run([&](pqxx::work& work) {
    const auto row = work.exec_params1(
        R"(select count(*) filter (where final and outcome = 'succeeded'),
                  count(*)
           from postrider.attempt as a
           join postrider.endpoint as e on e.id = a.endpoint
           where e.tenant = $1 and a.delivery > $2)",
        tenant, delivery);
    return stored{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
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
