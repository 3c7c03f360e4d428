#include "store/ingester.hpp"
#include "store/reader.hpp"
#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using testing::postgres_server;
using testing::tenancy;

/// What `ingest` tells of what it has made, beside what a reader reads of it.
class IngestTold : public ::testing::Test, protected tenancy {
protected:
  IngestTold() : tenancy{postgres_server::shared().migrated_database()} {}

  static new_event make(const std::string& type,
                        const std::string& ordering_key = "") {
    new_event out;
    out.tenant = "t";
    out.type = type;
    out.payload = "{\"n\":1}";
    out.ordering_key = ordering_key;
    return out;
  }

  void set_health(const std::string& endpoint, const std::string& column,
                  const std::string& value) {
    db("insert into postrider.endpoint_health (endpoint, partition, " + column
       + ") values (" + endpoint + ", 7, " + value + ")");
  }

  std::vector<fresh_delivery> told(const std::vector<new_event>& batch) {
    auto out = in_.ingest_and_tell(batch).made;
    std::ranges::sort(out, {}, [](const auto& one) { return one.row.id; });
    return out;
  }

  void expect_as_read(const std::vector<fresh_delivery>& told) {
    store::reader reader{url};
    const std::vector<std::uint16_t> seven{7};
    reader.start_of(seven);
    const auto rows = reader.read(seven, 0, 1'000'000, {}, 10'000).rows;
    std::vector<delivery> queued;
    for (const auto& one : told)
      if (one.queued)
        queued.push_back(one.row);
    ASSERT_EQ(queued.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(queued[i].id, rows[i].id);
      EXPECT_EQ(queued[i].partition, rows[i].partition);
      EXPECT_EQ(queued[i].endpoint, rows[i].endpoint);
      EXPECT_EQ(queued[i].event, rows[i].event);
      EXPECT_EQ(queued[i].stream, rows[i].stream);
      EXPECT_EQ(queued[i].size, rows[i].size);
      EXPECT_EQ(queued[i].attempts, 0);
      EXPECT_EQ(queued[i].due, 0);
      EXPECT_EQ(queued[i].max_attempts, rows[i].max_attempts);
      EXPECT_LT(queued[i].remaining - rows[i].remaining, 60s);
      EXPECT_GE(queued[i].remaining, rows[i].remaining);
    }
  }

  store::ingester in_{url};
};

TEST_F(IngestTold, OfABatchIsWhatAReaderReads) {
  endpoint({"a", "b"});
  endpoint({"*"}, "event");
  const auto made = told({make("a", "k"), make("none"), make("b")});
  EXPECT_EQ(made.size(), 5u);
  expect_as_read(made);
}

TEST_F(IngestTold, OfOneEventIsWhatAReaderReads) {
  endpoint({"a"});
  endpoint({"*"}, "event");
  const auto made = told({make("a", "k")});
  EXPECT_EQ(made.size(), 2u);
  expect_as_read(made);
}

TEST_F(IngestTold, NamesEachIdThatWasDrawnAlsoOfWhatIsNotToBeSent) {
  endpoint({"a"});
  set_health(endpoint({"a"}), "paused", "true");
  set_health(endpoint({"a"}), "state", "'disabled'");
  for (const std::size_t many : {1, 3}) {
    const auto made = told(std::vector(many, make("a")));
    ASSERT_EQ(made.size(), 3 * many);
    for (std::size_t i = 1; i < made.size(); ++i)
      EXPECT_EQ(made[i].row.id, made[i - 1].row.id + 1);
    EXPECT_EQ(std::ranges::count_if(made, &fresh_delivery::queued),
              static_cast<std::ptrdiff_t>(many));
  }
  EXPECT_EQ(count("delivery where due_at = 'infinity'"), "4");
}

TEST_F(IngestTold, IsNothingForWhatWasStoredBeforeOrRefused) {
  endpoint({"a"});
  auto keyed = make("a");
  keyed.key = "k";
  EXPECT_EQ(told({keyed}).size(), 1u);
  auto stranger = make("a");
  stranger.tenant = "nobody";
  EXPECT_TRUE(told({keyed}).empty());
  EXPECT_TRUE(told({keyed, stranger}).empty());
  EXPECT_EQ(told({keyed, make("a")}).size(), 1u);
}

TEST_F(IngestTold, IsNothingWhereItWouldBeVeryMuch) {
  for (int i = 0; i < 5; ++i)
    endpoint({"a"});
  EXPECT_EQ(told(std::vector(200, make("a"))).size(), 1'000u);
  EXPECT_TRUE(told(std::vector(205, make("a"))).empty());
}

TEST_F(IngestTold, IsNothingUnlessItIsAskedFor) {
  endpoint({"a"});
  EXPECT_EQ(db.one("select made is null from postrider.ingest_one("
                   "'t', 'a', 'event', '', null, null, null, null, null, null, "
                   "null, null, null, null)"),
            "t");
}

} // namespace
} // namespace postrider
