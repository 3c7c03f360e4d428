#include "actors/cleaner.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace postrider::actors {

namespace {

using std::chrono::milliseconds;
using answer = store::retention::answer;

constexpr const char* name = "janitor";
constexpr int keys_at_once = 1'000;
// Others wait for the database too.
constexpr milliseconds breath{20};
constexpr std::chrono::seconds longest_retry{60};

std::string text_of(day which) {
  const std::chrono::year_month_day date{which};
  const auto two = [](unsigned number) {
    return (number < 10 ? "-0" : "-") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(date.year()))
         + two(static_cast<unsigned>(date.month()))
         + two(static_cast<unsigned>(date.day()));
}

std::int64_t seconds_of(const std::vector<day>& days) {
  if (days.empty())
    return 0;
  const auto first = *std::min_element(days.begin(), days.end());
  return std::chrono::seconds{first.time_since_epoch()}.count();
}

std::string reason_of(day_need need) {
  return need == day_need::open ? "a delivery that is open"
                                : "a dead letter that may be retried";
}

} // namespace

cleaner::cleaner(const store_options& options)
    : rules_{options.retention},
      log_{options.log},
      counters_{options.counters},
      store_{options.database} {}

milliseconds cleaner::soon() const {
  return std::min<milliseconds>(rules_.every, longest_retry);
}

milliseconds cleaner::step() {
  if (tasks_.empty() && !keys_left_)
    return look();
  if (tasks_.empty())
    return drop_keys();
  const auto next = tasks_.front();
  tasks_.pop_front();
  return drop(next);
}

milliseconds cleaner::look() {
  const auto found = store_.look();
  const auto events =
      past_days(found.events, first_kept(found.now, rules_.events));
  const auto attempts =
      past_days(found.attempts, first_kept(found.now, attempts_kept(rules_)));
  tell(found);
  meters().overdue_event_days = std::ssize(events);
  meters().overdue_attempt_days = std::ssize(attempts);
  letters_from_ = first_kept(found.now, rules_.dead_letters);
  busy_ = false;
  for (const auto which : events)
    tasks_.push_back({true, which});
  for (const auto which : attempts)
    tasks_.push_back({false, which});
  keys_left_ = rules_.keys.count() > 0;
  return tasks_.empty() && !keys_left_ ? rules_.every : breath;
}

void cleaner::tell(const store::retention::stock& found) {
  meters().oldest_event_seconds = seconds_of(found.events);
  meters().oldest_attempt_seconds = seconds_of(found.attempts);
}

milliseconds cleaner::drop(const task& what) {
  const auto how = what.events ? store_.drop_events(what.which, letters_from_)
                               : store_.drop_attempts(what.which);
  const auto which =
      (what.events ? "events of " : "attempts of ") + text_of(what.which);
  switch (how) {
  case answer::gone:
    (what.events ? meters().dropped_event_days : meters().dropped_attempt_days)
        .add();
    --(what.events ? meters().overdue_event_days
                   : meters().overdue_attempt_days);
    log_(level::info, name, "dropped the " + which);
    break;
  case answer::needed:
    log_(level::info, name,
         "keeps the " + which + " for " + reason_of(store_.need()));
    break;
  case answer::busy:
    busy_ = true;
    // Of two outcomes of one delivery the later must not go before the earlier.
    if (!what.events)
      tasks_.clear();
    break;
  }
  return tasks_.empty() && !keys_left_ ? (busy_ ? soon() : rules_.every)
                                       : breath;
}

milliseconds cleaner::drop_keys() {
  const auto dropped = store_.drop_keys(rules_.keys, keys_at_once);
  meters().dropped_keys.add(static_cast<std::uint64_t>(dropped.value_or(0)));
  busy_ = busy_ || !dropped;
  keys_left_ = dropped == keys_at_once;
  if (keys_left_)
    return breath;
  return busy_ ? soon() : rules_.every;
}

} // namespace postrider::actors
