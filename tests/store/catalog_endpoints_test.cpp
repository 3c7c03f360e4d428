#include "core/public_id.hpp"
#include "store/catalog.hpp"
#include "store/error.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>
#include <set>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using store::catalog;
using store::endpoint_fields;

namespace {

class CatalogOfEndpoints : public ::testing::Test, protected backlog {
protected:
  CatalogOfEndpoints() { calm.use_secret_key(std::string(32, 'k')); }

  static endpoint_fields fields() {
    endpoint_fields out;
    out.url = "https://receiver.example/";
    out.types = std::vector<std::string>{"order.*", "user.created"};
    return out;
  }
  store::endpoint_row make(const std::string& uid = "") {
    return calm.create_endpoint("t", uid, fields(), {}).value();
  }
  /// The message of a conflict; empty when there is none.
  template <class Job>
  static std::string conflict_of(Job job) {
    try {
      job();
    } catch (const store::error& failure) {
      EXPECT_EQ(failure.what_kind(), store::error::kind::conflict)
          << failure.what();
      return failure.what();
    }
    return "";
  }

  catalog calm{url};
};

} // namespace

TEST_F(CatalogOfEndpoints, PutsATenantOnceAndChangesItAfterwards) {
  EXPECT_TRUE(calm.put_tenant("acme", "Acme"));
  EXPECT_FALSE(calm.put_tenant("acme", "Acme Ltd"));
  EXPECT_EQ(calm.tenant("acme")->name, "Acme Ltd");
  EXPECT_FALSE(calm.tenant("nobody"));
  EXPECT_NE(conflict_of([&] { calm.put_tenant("a b", ""); }), "");
}

TEST_F(CatalogOfEndpoints, MakesAnEndpointWithDefaults) {
  const auto made = make("u1");
  EXPECT_EQ(made.tenant, "t");
  EXPECT_EQ(made.uid, "u1");
  EXPECT_EQ(made.types, (std::vector<std::string>{"order.*", "user.created"}));
  EXPECT_EQ(made.ordering, "fifo");
  EXPECT_EQ(made.ordering_key, "endpoint");
  EXPECT_EQ(made.retry, "default");
  EXPECT_EQ(made.max_in_flight, 32);
  EXPECT_EQ(made.timeout, 0s);
  EXPECT_EQ(made.connect_timeout, 0s);
  EXPECT_TRUE(made.headers.empty());
  EXPECT_EQ(calm.endpoint(made.id)->version, made.version);
  EXPECT_FALSE(calm.create_endpoint("nobody", "", fields(), {}));
}

TEST_F(CatalogOfEndpoints, SpreadsEndpointsOverThePartitions) {
  for (int i = 0; i < 20; ++i)
    make();
  EXPECT_EQ(db.one("select count(distinct partition) from postrider.endpoint"),
            "20");
}

TEST_F(CatalogOfEndpoints, KeepsAUidUniqueAmongLiveEndpointsOfATenant) {
  const auto first = make("u");
  EXPECT_NE(conflict_of([&] { make("u"); }).find("uid: `u` is taken"),
            std::string::npos);
  calm.put_tenant("other", "");
  EXPECT_TRUE(calm.create_endpoint("other", "u", fields(), {}));
  EXPECT_TRUE(calm.delete_endpoint(first.id));
  EXPECT_NE(make("u").id, first.id);
}

TEST_F(CatalogOfEndpoints, SaysWhatIsWrongWithoutQuotingTheRow) {
  auto bad = fields();
  bad.headers = std::vector<header>{{"Authorization", "Bearer hush"}};
  bad.max_in_flight = 0;
  const auto said =
      conflict_of([&] { calm.create_endpoint("t", "", bad, {}); });
  EXPECT_NE(said.find("max_in_flight"), std::string::npos) << said;
  EXPECT_EQ(said.find("hush"), std::string::npos) << said;
  EXPECT_EQ(count("endpoint"), "0");
}

TEST_F(CatalogOfEndpoints, ChangesOnlyWhatIsGiven) {
  const auto made = make("u");
  endpoint_fields change;
  change.types = std::vector<std::string>{"*", "*"};
  change.retry = "10s 1m";
  const auto changed = calm.change_endpoint(made.id, change, made.version);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->types, std::vector<std::string>{"*"});
  EXPECT_EQ(changed->retry, "10s 1m");
  EXPECT_EQ(changed->url, made.url);
  EXPECT_EQ(changed->uid, "u");
  EXPECT_GT(changed->version, made.version);
  EXPECT_EQ(db.one("select extract(epoch from max_age)::int8 * 1000 "
                   "from postrider.endpoint"),
            std::to_string(parse_retry_policy("10s 1m")->max_age.count()));
}

TEST_F(CatalogOfEndpoints, RefusesAChangeOfAnotherVersion) {
  const auto made = make();
  endpoint_fields change;
  change.description = "new";
  EXPECT_NE(conflict_of([&] {
              calm.change_endpoint(made.id, change, made.version + 1);
            }).find("version"),
            std::string::npos);
  EXPECT_FALSE(
      calm.change_endpoint(postrider::testing::node_of(9), change, {}));
  change.retry = "sometimes";
  EXPECT_NE(conflict_of([&] {
              calm.change_endpoint(made.id, change, {});
            }).find("retry: `sometimes`"),
            std::string::npos);
  EXPECT_EQ(calm.endpoint(made.id)->description, "");
}

TEST_F(CatalogOfEndpoints, ListsNewestFirstPageByPage) {
  std::vector<uuid> made;
  for (int i = 0; i < 5; ++i)
    made.insert(made.begin(), make().id);
  calm.put_tenant("other", "");
  calm.create_endpoint("other", "", fields(), {});
  calm.delete_endpoint(made[1]);
  made.erase(made.begin() + 1);
  std::vector<uuid> seen;
  store::page where{0, 2};
  do {
    const auto page = calm.endpoints("t", where);
    for (const auto& row : page.rows)
      seen.push_back(row.id);
    where.before = page.next;
  } while (where.before != 0);
  EXPECT_EQ(seen, made);
  EXPECT_EQ(calm.endpoints({}, {0, 50}).rows.size(), 5u);
}

// H-01
TEST_F(CatalogOfEndpoints, CancelsOpenDeliveriesOnRecordWhenDeleted) {
  const auto gone = make();
  const auto stays = make();
  db("select postrider.publish('t', 'order.a', '{}'::text) "
     "from generate_series(1, 6000)");
  db("update postrider.delivery set attempts = 2, state = 'retrying', "
     "due_at = now() where id = 1");
  EXPECT_TRUE(calm.delete_endpoint(gone.id));
  EXPECT_FALSE(calm.delete_endpoint(gone.id));
  EXPECT_FALSE(calm.endpoint(gone.id));
  EXPECT_EQ(count("delivery"), "6000");
  EXPECT_EQ(db.one("select count(*) from postrider.attempt where final and "
                   "not sent and outcome = 'cancelled' "
                   "and reason = 'endpoint_deleted'"),
            "6000");
  EXPECT_EQ(db.one("select number from postrider.attempt where delivery = 1"),
            "2");
  db("select postrider.publish('t', 'order.b', '{}'::text)");
  EXPECT_EQ(count("delivery"), "6001");
  EXPECT_TRUE(calm.endpoint(stays.id));
}

// H-01: what a driver may have in flight is its own to end.
TEST_F(CatalogOfEndpoints, LeavesToTheDriverWhatMayBeInFlightWhenDeleted) {
  const auto gone = make();
  db("select postrider.publish('t', 'order.a', '{}'::text) "
     "from generate_series(1, 4)");
  db("update postrider.delivery set state = 'retrying', "
     "due_at = now() + interval '1 h' where id = 2");
  db("update postrider.delivery set state = 'retrying', "
     "due_at = now() where id = 3");
  db("update postrider.partition set owner = gen_random_uuid(), "
     "expires_at = now() + interval '1 min'");
  EXPECT_TRUE(calm.delete_endpoint(gone.id));
  EXPECT_EQ(db.one("select string_agg(id::text, ' ' order by id) "
                   "from postrider.delivery"),
            "1 3 4");
  EXPECT_EQ(db.one("select outcome from postrider.attempt where delivery = 2"),
            "cancelled");
}

TEST_F(CatalogOfEndpoints, WorksAgainAfterItsConnectionWasCut) {
  make();
  cut("postrider catalog");
  EXPECT_THROW(calm.tenant("t"), store::error);
  EXPECT_TRUE(calm.tenant("t"));
}
