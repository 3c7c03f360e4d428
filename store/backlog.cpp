#include "store/backlog.hpp"

#include "core/uuid.hpp"
#include "store/backlog_statements.hpp"
#include "store/pg.hpp"
#include "store/reader_statements.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace postrider::store {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int64_t counted_exactly = 10'000;
constexpr int forget_after = 10; // looks for the oldest
// Retries may stand before the first queued row; who has many of them gets
// there within a few samples.
constexpr int steps[] = {4, 64, 1'024};
// A retry written now is due after the moment of the last sample, but for
// transactions that took long to commit.
constexpr microseconds commit_margin = std::chrono::minutes{5};

// Nobody needs a sample so much that the server should work long for it.
database briefly(database where) {
  where.statement_timeout = std::chrono::seconds{1};
  return where;
}

} // namespace

class backlog::impl {
public:
  explicit impl(database where)
      : link_{briefly(std::move(where)),
              {"postrider sampler", statements::reader_settings()}} {}

  backlog_sample take(bool oldest) {
    auto out = look();
    if (!oldest)
      return out;
    if (samples_++ % forget_after == 0)
      forget();
    out.oldest_queued = oldest_queued();
    return out;
  }

private:
  void forget() {
    after_.clear();
    due_after_ = 0;
    for (std::int16_t partition = 0; partition < 256; ++partition)
      after_[partition] = 0;
  }

  backlog_sample look() {
    const auto rows =
        link_.run(statements::backlog_summary, pg::params{}.micros(due_after_));
    backlog_sample out;
    const auto open = rows.int8(0, 0);
    const auto estimated = [&](int counted, int total) {
      const auto many = rows.int8(0, counted);
      return many > counted_exactly ? std::max(many, rows.int8(0, total))
                                    : many;
    };
    out.retrying = estimated(1, 2);
    out.held = estimated(7, 8);
    out.degraded = rows.int8(0, 9);
    out.suspended = rows.int8(0, 10);
    out.disabled = rows.int8(0, 11);
    out.paused = rows.int8(0, 12);
    out.queued = std::max<std::int64_t>(0, open - out.retrying - out.held);
    now_ = rows.micros(0, 4);
    const auto known_until = now_ - commit_margin.count();
    due_after_ = std::max<std::int64_t>(0, known_until);
    if (!rows.null(0, 3)) {
      const auto due = rows.micros(0, 3);
      due_after_ = std::min(due_after_, due - 1);
      if (due < now_)
        out.oldest_retrying = as_milliseconds(now_ - due);
    }
    out.event_days = rows.null(0, 5) ? 0 : rows.int4(0, 5);
    out.retained_wal = rows.int8(0, 13);
    out.attempt_days = rows.null(0, 6) ? 0 : rows.int4(0, 6);
    return out;
  }

  std::optional<milliseconds> oldest_queued() {
    std::optional<milliseconds> out;
    std::set<std::int16_t> wanted;
    for (const auto& [partition, after] : after_)
      wanted.insert(partition);
    for (const int step : steps) {
      const auto rows = ask(std::exchange(wanted, {}), step);
      for (int row = 0; row < rows.size(); ++row) {
        const auto partition = rows.int2(row, 0);
        if (!rows.null(row, 1)) {
          after_[partition] = rows.int8(row, 1) - 1;
          const auto accepted = time_of(rows.id(row, 2)).time_since_epoch();
          const auto age = as_milliseconds(now_) - accepted;
          out = std::max(out.value_or(milliseconds{0}), age);
          continue;
        }
        after_[partition] = rows.int8(row, 3);
        if (rows.boolean(row, 4))
          wanted.insert(partition);
      }
      if (wanted.empty())
        break;
    }
    return out;
  }

  pg::rows ask(const std::set<std::int16_t>& wanted, int step) {
    pg::array partitions{pg::type::int2};
    pg::array after{pg::type::int8};
    for (const auto partition : wanted) {
      partitions.int2(partition);
      after.int8(after_[partition]);
    }
    return link_.run(statements::backlog_heads,
                     pg::params{}.add(partitions).add(after).int4(step));
  }

  static milliseconds as_milliseconds(std::int64_t micros) {
    return std::chrono::floor<milliseconds>(microseconds{micros});
  }

  pg::connection link_;
  std::map<std::int16_t, std::int64_t> after_;
  std::int64_t due_after_ = 0;
  std::int64_t now_ = 0;
  int samples_ = 0;
};

backlog::backlog(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}

backlog::~backlog() = default;

backlog_sample backlog::take(bool oldest) {
  return impl_->take(oldest);
}

} // namespace postrider::store
