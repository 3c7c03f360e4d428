#include "store/catalog.hpp"
#include "store/error.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>

using namespace postrider;
using postrider::testing::backlog;
using postrider::testing::node_of;

namespace {

class CatalogOfEvents : public ::testing::Test, protected backlog {
protected:
  store::catalog calm{url};
};

} // namespace

TEST_F(CatalogOfEvents, TellsAnEventAsItWasPublished) {
  endpoint({"order.*"});
  db("select postrider.publish('t', 'order.paid', '\\x0001ff'::bytea, "
     "key => 'k', ordering_key => 'o', correlation_id => 'c', "
     "producer => 'p', schema_version => '2', "
     "content_type => 'application/octet-stream', "
     "headers => '{\"X-A\": \"1\"}', occurred_at => '2026-01-02T03:04:05Z')");
  const auto found = calm.event_by_key("t", "k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tenant, "t");
  EXPECT_EQ(found->key, "k");
  EXPECT_EQ(found->type, "order.paid");
  EXPECT_EQ(found->kind, event_kind::event);
  EXPECT_EQ(found->content_type, "application/octet-stream");
  EXPECT_EQ(found->headers, (std::vector<header>{{"X-A", "1"}}));
  EXPECT_EQ(found->ordering_key, "o");
  EXPECT_EQ(found->correlation_id, "c");
  EXPECT_EQ(found->producer, "p");
  EXPECT_EQ(found->schema_version, "2");
  EXPECT_EQ(found->occurred_at->time_since_epoch().count(), 1767323045000);
  EXPECT_EQ(found->size, 3);
  EXPECT_EQ(found->deliveries, 1);
  EXPECT_EQ(calm.event(found->id)->key, "k");
  // G11
  EXPECT_EQ(calm.payload(found->id)->bytes, std::string("\0\x01\xff", 3));
  EXPECT_EQ(calm.payload(found->id)->content_type, "application/octet-stream");
}

TEST_F(CatalogOfEvents, SaysNothingOfWhatIsNotThere) {
  EXPECT_FALSE(calm.event(node_of(1)));
  EXPECT_FALSE(calm.payload(node_of(1)));
  EXPECT_FALSE(calm.event_by_key("t", "k"));
}
