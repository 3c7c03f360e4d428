#include "store/inspection.hpp"

#include "core/secret_box.hpp"
#include "store/database_facts.hpp"
#include "store/error.hpp"
#include "store/migrator.hpp"
#include "store/session.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace postrider::store {

namespace {

using grade = finding::grade;

constexpr auto application = "postrider check";

finding describe_server(const database_facts& found) {
  return {"database", grade::good,
          fmt::format("{} as {}, PostgreSQL {}", found.name, found.user,
                      found.version)};
}

finding compare(const std::string& url) {
  migrator{url}.check();
  return {"migrations", grade::good, "the schema is that of this program"};
}

finding judge_rights(const database_facts& found) {
  if (found.missing_rights.empty())
    return {"rights", grade::good, "the role may do all that a node does"};
  return {"rights", grade::bad,
          fmt::format("the role lacks: {} (connect as the role that ran "
                      "postrider migrate up)",
                      fmt::join(found.missing_rights, ", "))};
}

finding judge_settings(const database_facts& found) {
  if (found.unsafe.empty())
    return {"durability", grade::good, "what is committed survives a crash"};
  return {"durability", grade::doubtful,
          fmt::format("{}: a crash can lose what was accepted (set it to on)",
                      fmt::join(found.unsafe, ", "))};
}

finding judge_secrets(const std::string& url, const std::string& key) {
  const auto found = count_sealed(url, key);
  if (found.foreign == 0)
    return {"secret_key", grade::good,
            fmt::format("opens the {} stored secrets", found.all)};
  return {"secret_key", grade::bad, describe(found)};
}

} // namespace

sealed_secrets count_sealed(const std::string& url,
                            const std::string& secret_key) {
  const auto box = secret_box::make(secret_key);
  if (!box)
    throw error{error::kind::broken, "the secret key is not 32 bytes"};
  const auto label = box->label();
  return session{url, application}.run([&](pqxx::work& tx) {
    const auto rows = tx.exec_params(R"(
select count(*), count(*) filter (
  where substring(s.sealed for octet_length($1::bytea)) <> $1::bytea)
from postrider.endpoint_secret s
join postrider.endpoint e on e.id = s.endpoint and e.deleted_at is null
where s.expires_at is null or s.expires_at > now())",
                                     pqxx::binarystring{label});
    return sealed_secrets{rows[0][0].as<std::int64_t>(),
                          rows[0][1].as<std::int64_t>()};
  });
}

std::string describe(const sealed_secrets& found) {
  return fmt::format("storage.secret_key does not open {} of the {} stored "
                     "endpoint secrets: their deliveries would fail (use the "
                     "key that they were sealed with)",
                     found.foreign, found.all);
}

std::vector<finding> inspect(const std::string& url,
                             const std::string& secret_key) {
  std::vector<finding> out;
  database_facts found;
  const auto look = [&](const char* name,
                        const std::function<finding()>& question) {
    try {
      out.push_back(question());
    } catch (const std::exception& fault) {
      out.push_back({name, grade::bad, fault.what()});
    }
    return out.back().how != grade::bad;
  };
  if (!look("database", [&] {
        found = facts_of(url);
        return describe_server(found);
      }))
    return out;
  look("durability", [&] { return judge_settings(found); });
  if (!look("migrations", [&] { return compare(url); }))
    return out;
  look("rights", [&] { return judge_rights(found); });
  look("secret_key", [&] { return judge_secrets(url, secret_key); });
  return out;
}

} // namespace postrider::store
