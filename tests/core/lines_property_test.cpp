#include "core/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace postrider {
namespace {

/// The rule in its plainest form: everything in lists, everything searched.
class model {
public:
  explicit model(unsigned seed) : chance_{seed} {
    for (std::int64_t endpoint = 1; endpoint <= 4; ++endpoint)
      configure(endpoint);
  }

  void step() {
    forget_idle();
    switch (chance_() % 10) {
    case 8:
      return guard(some_endpoint());
    case 9:
      return put_back();
    case 0:
    case 1:
    case 2:
      return add();
    case 3:
    case 4:
      return take();
    case 5:
    case 6:
      return finish();
    default:
      if (chance_() % 8 == 0)
        configure(some_endpoint());
      else if (chance_() % 16 == 0)
        clear(some_endpoint());
    }
  }

  /// Everything that was added comes out in the end.
  void run_dry() {
    for (std::int64_t endpoint = 1; endpoint <= 4; ++endpoint) {
      lines_.allow(endpoint, lines::unlimited);
      lines_.block(endpoint, false);
      settings_[endpoint].allowed = lines::unlimited;
      settings_[endpoint].blocked = false;
    }
    while (!waiting_.empty() || !out_.empty()) {
      const auto before = waiting_.size() + out_.size();
      while (!waiting_.empty() && take_one()) {
      }
      ASSERT_FALSE(out_.empty()) << "nothing may start, nothing is in flight";
      finish();
      ASSERT_LT(waiting_.size() + out_.size(), before);
    }
    EXPECT_EQ(lines_.waiting(), 0u);
    EXPECT_EQ(lines_.in_flight(), 0u);
    EXPECT_FALSE(lines_.take());
  }

private:
  struct settings {
    ordering order = ordering::fifo;
    int limit = 1;
    int allowed = lines::unlimited;
    bool blocked = false;
    bool changed = false; ///< its order, while it was known
  };

  std::int64_t some_endpoint() {
    return static_cast<std::int64_t>(1 + chance_() % 4);
  }

  void configure(std::int64_t endpoint) {
    auto& to = settings_[endpoint];
    to.order = chance_() % 2 ? ordering::fifo : ordering::none;
    to.limit = static_cast<int>(1 + chance_() % 4);
    if (!lines_.knows(endpoint))
      return;
    to.changed = true;
    lines_.configure(endpoint, to.order, to.limit);
  }

  /// What is idle keeps no allowance.
  void forget_idle() {
    for (auto& [endpoint, to] : settings_)
      if (!lines_.knows(endpoint)) {
        to.allowed = lines::unlimited;
        to.blocked = to.changed = false;
      }
  }

  void guard(std::int64_t endpoint) {
    if (!lines_.knows(endpoint))
      return;
    auto& to = settings_[endpoint];
    if (chance_() % 3 == 0) {
      to.blocked = !to.blocked;
      lines_.block(endpoint, to.blocked);
    } else {
      to.allowed = static_cast<int>(chance_() % 6) - 1;
      lines_.allow(endpoint, to.allowed);
    }
    check_wanted(endpoint);
  }

  /// How many could begin if they were allowed.
  void check_wanted(std::int64_t endpoint) {
    const auto& to = settings_[endpoint];
    std::set<std::int64_t> streams;
    int many = 0;
    for (const auto& [id, row] : waiting_)
      if (row.endpoint == endpoint
          && (to.order == ordering::none
              || (!stream_is_busy(row) && streams.insert(row.stream).second)))
        ++many;
    const auto room = to.limit - static_cast<int>(in_flight(endpoint));
    const auto expected =
        to.allowed == 0 ? std::clamp(many, 0, std::max(room, 0)) : 0;
    if (to.changed)
      EXPECT_GE(lines_.wanted(endpoint), expected);
    else
      EXPECT_EQ(lines_.wanted(endpoint), expected);
  }

  /// One that could not be begun goes back to its place, its allowance too.
  void put_back() {
    if (out_.empty())
      return;
    const auto which = std::next(
        out_.begin(), static_cast<std::ptrdiff_t>(chance_() % out_.size()));
    const auto row = which->second;
    lines_.put_back(row);
    if (auto& to = settings_[row.endpoint]; to.allowed >= 0)
      ++to.allowed;
    waiting_[row.id] = row;
    out_.erase(which);
    EXPECT_EQ(lines_.waiting(), waiting_.size());
    EXPECT_EQ(lines_.in_flight(), out_.size());
  }

  void add() {
    delivery row;
    row.endpoint = some_endpoint();
    row.stream = static_cast<std::int64_t>(chance_() % 3);
    row.id = static_cast<std::int64_t>(1 + chance_() % 100'000);
    if (!ids_.insert(row.id).second)
      return;
    const auto& to = settings_[row.endpoint];
    if (!lines_.knows(row.endpoint))
      lines_.configure(row.endpoint, to.order, to.limit);
    lines_.add(row);
    waiting_[row.id] = row;
  }

  std::ptrdiff_t in_flight(std::int64_t endpoint) const {
    return std::count_if(out_.begin(), out_.end(), [&](const auto& one) {
      return one.second.endpoint == endpoint;
    });
  }

  bool stream_is_busy(const delivery& row) const {
    return std::any_of(out_.begin(), out_.end(), [&](const auto& one) {
      return one.second.endpoint == row.endpoint
             && one.second.stream == row.stream;
    });
  }

  bool may_start(const delivery& row) {
    const auto& to = settings_[row.endpoint];
    return in_flight(row.endpoint) < to.limit && to.allowed != 0 && !to.blocked
           && (to.order == ordering::none || !stream_is_busy(row));
  }

  bool take_one() {
    const auto next = lines_.take();
    if (!next) {
      for (const auto& [id, row] : waiting_)
        EXPECT_FALSE(may_start(row)) << id << " may start and does not";
      return false;
    }
    EXPECT_EQ(waiting_.count(next->id), 1u);
    EXPECT_TRUE(may_start(*next)) << next->id;
    for (const auto& [id, row] : waiting_)
      if (row.endpoint == next->endpoint && row.stream == next->stream) {
        EXPECT_EQ(id, next->id) << "not the head of its line";
        break;
      }
    if (auto& to = settings_[next->endpoint]; to.allowed > 0)
      --to.allowed;
    waiting_.erase(next->id);
    out_[next->id] = *next;
    return true;
  }

  void take() {
    take_one();
    EXPECT_EQ(lines_.waiting(), waiting_.size());
    EXPECT_EQ(lines_.in_flight(), out_.size());
  }

  void finish() {
    if (out_.empty())
      return;
    const auto which = std::next(
        out_.begin(), static_cast<std::ptrdiff_t>(chance_() % out_.size()));
    lines_.finish(which->second.endpoint, which->second.stream);
    out_.erase(which);
  }

  void clear(std::int64_t endpoint) {
    for (const auto& row : lines_.clear(endpoint))
      EXPECT_EQ(waiting_.erase(row.id), 1u);
    for (const auto& [id, row] : waiting_)
      EXPECT_NE(row.endpoint, endpoint);
  }

  std::mt19937 chance_;
  lines lines_;
  std::map<std::int64_t, settings> settings_;
  std::map<std::int64_t, delivery> waiting_;
  std::map<std::int64_t, delivery> out_;
  std::set<std::int64_t> ids_;
};

// G3, G9: what may start does start, by id in its stream and within the
// limits; nothing is lost and nothing comes out twice.
TEST(LinesModel, KeepTheirOrderTheirLimitsAndEveryDelivery) {
  for (unsigned seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(seed);
    model one{seed};
    for (int i = 0; i < 200; ++i)
      one.step();
    one.run_dry();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

} // namespace
} // namespace postrider
