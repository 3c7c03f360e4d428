#include "store/inspection.hpp"

#include "store/catalog.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <algorithm>

namespace postrider::store {
namespace {

using grade = finding::grade;

class Inspection : public ::testing::Test {
protected:
  void run(const std::string& sql) const {
    pqxx::connection link{url_};
    pqxx::work work{link};
    work.exec(sql);
    work.commit();
  }

  void endpoint(const std::string& key) const {
    catalog with{url_};
    with.use_secret_key(key);
    with.put_tenant("acme", "Acme");
    endpoint_fields fields;
    fields.url = "https://example.com/";
    fields.types = std::vector<std::string>{"*"};
    ASSERT_TRUE(with.create_endpoint(
        "acme", "", fields, {*signing_key::from_bytes(std::string(24, 's'))}));
  }

  grade of(const std::string& name, const std::string& key = ours) const {
    for (const auto& one : inspect(url_, key))
      if (one.name == name)
        return one.how;
    ADD_FAILURE() << "nothing about " << name;
    return grade::bad;
  }

  static inline const std::string ours = std::string(32, 'a');
  static inline const std::string other = std::string(32, 'b');
  std::string url_ = testing::postgres_server::shared().migrated_database();
};

TEST_F(Inspection, FindsADatabaseGoodThatANodeCanUse) {
  endpoint(ours);
  for (const auto* name : {"database", "migrations", "rights", "secret_key"})
    EXPECT_EQ(of(name), grade::good) << name;
}

TEST_F(Inspection, SeesThatTheKeyDoesNotOpenTheSecrets) {
  EXPECT_EQ(of("secret_key", other), grade::good); // there are none yet
  endpoint(ours);
  EXPECT_EQ(of("secret_key", other), grade::bad);
  const auto found = count_sealed(url_, other);
  EXPECT_EQ(found.all, 1);
  EXPECT_EQ(found.foreign, 1);
  EXPECT_EQ(describe(found).substr(0, 62),
            "storage.secret_key does not open 1 of the 1 stored endpoint se");
  EXPECT_EQ(count_sealed(url_, ours).foreign, 0);
}

TEST_F(Inspection, CountsOnlySecretsThatLive) {
  endpoint(other);
  run("update postrider.endpoint_secret set expires_at = now()");
  EXPECT_EQ(count_sealed(url_, ours).all, 0);
  endpoint(other);
  run("update postrider.endpoint set deleted_at = now()");
  EXPECT_EQ(count_sealed(url_, ours).all, 0);
}

// B-11
TEST_F(Inspection, SeesASettingThatLosesWhatWasAccepted) {
  run("do $$ begin execute format('alter database %I set synchronous_commit "
      "= off', current_database()); end $$");
  const auto all = inspect(url_, ours);
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& one) {
    return one.name == "durability";
  });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->how, grade::doubtful);
  EXPECT_NE(found->detail.find("synchronous_commit=off"), std::string::npos);
}

//
TEST_F(Inspection, SaysWhichStepIsWrongAndGoesNoFurther) {
  auto all = inspect("postgresql:///x?host=/nowhere", ours);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].how, grade::bad);
  run("delete from postrider.migration where number = 1");
  all = inspect(url_, ours);
  EXPECT_EQ(all.back().name, "migrations");
  EXPECT_EQ(all.back().how, grade::bad);
}

} // namespace
} // namespace postrider::store
