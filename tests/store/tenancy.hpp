#pragma once

#include "tests/store/sql.hpp"

#include <fmt/core.h>
#include <string>
#include <vector>

namespace postrider::testing {

inline void add_tenant(sql& db, const std::string& id) {
  db(fmt::format("insert into postrider.tenant (id) values ('{}')", id));
}

/// A live endpoint that wants these patterns; returns its key.
inline std::string add_endpoint(sql& db, const std::string& tenant,
                                const std::vector<std::string>& patterns,
                                const std::string& ordering_key = "endpoint") {
  auto id = db.one(fmt::format(
      "insert into postrider.endpoint "
      "(public_id, tenant, partition, url, ordering_key) values "
      "(gen_random_uuid(), '{}', 7, 'https://receiver.example', '{}') "
      "returning id",
      tenant, ordering_key));
  for (const auto& pattern : patterns)
    db(fmt::format("insert into postrider.subscription values ('{}', '{}', {})",
                   tenant, pattern, id));
  return id;
}

/// A migrated database with one tenant `t`.
class tenancy {
public:
  explicit tenancy(std::string where) : url{std::move(where)}, db{url} {
    add_tenant(db, "t");
  }

  std::string endpoint(const std::vector<std::string>& patterns,
                       const std::string& ordering_key = "endpoint") {
    return add_endpoint(db, "t", patterns, ordering_key);
  }
  std::string count(const std::string& table) {
    return db.one("select count(*) from postrider." + table);
  }

  std::string url;
  sql db;
};

} // namespace postrider::testing
