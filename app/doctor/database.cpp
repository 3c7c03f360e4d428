#include "app/doctor/database.hpp"

#include "store/database_facts.hpp"
#include "store/error.hpp"
#include "store/migrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr int oldest_version = 150'000;

check_result check_version(const store::database_facts& found) {
  check_result out{"version", verdict::ok,
                   fmt::format("PostgreSQL {}", found.version)};
  if (found.version_number < oldest_version) {
    out.what = verdict::fail;
    out.hint = "PostgreSQL 15 or newer is needed";
  }
  return out;
}

check_result check_clock(const store::database_facts& found) {
  check_result out{"clock", verdict::ok,
                   fmt::format("the database is {} ms {}",
                               std::chrono::abs(found.ahead).count(),
                               found.ahead < 0ms ? "behind" : "ahead")};
  const auto skew = std::chrono::abs(found.ahead);
  if (skew <= 1s)
    return out;
  // Receivers compare webhook-timestamp with their own clock.
  out.what = skew > 60s ? verdict::fail : verdict::warn;
  out.hint = "set both clocks by NTP: receivers refuse old signatures";
  return out;
}

check_result check_settings(const store::database_facts& found) {
  check_result out{"settings", verdict::ok, "durable"};
  if (found.read_only)
    return {"settings", verdict::fail, "the database takes no writes",
            "name the primary in storage.url"};
  if (found.unsafe.empty())
    return out;
  return {"settings", verdict::fail,
          fmt::format("{}", fmt::join(found.unsafe, ", ")),
          "an accepted event could be lost: set them to on"};
}

check_result check_connections(const store::database_facts& found) {
  check_result out{
      "connections", verdict::ok,
      fmt::format("{} of {}", found.connections, found.max_connections)};
  if (found.max_connections - found.connections < 20) {
    out.what = verdict::warn;
    out.hint = "a node needs about ten: raise max_connections";
  }
  return out;
}

check_result check_rights(const store::database_facts& found) {
  if (found.missing_rights.empty())
    return {"rights", verdict::ok, "all that a node needs"};
  return {"rights", verdict::fail,
          fmt::format("missing: {}", fmt::join(found.missing_rights, ", ")),
          "connect as the role that ran postrider migrate up"};
}

check_result check_migrations(const std::string& url) {
  const auto all = store::migrator{url}.status();
  const auto missing = std::count_if(
      all.begin(), all.end(), [](const auto& one) { return !one.applied; });
  if (missing == 0)
    return {"migrations", verdict::ok, fmt::format("all {}", all.size())};
  return {"migrations", verdict::fail,
          fmt::format("{} of {} are missing", missing, all.size()),
          "postrider migrate up"};
}

check_result check_partitions(const store::database_facts& found) {
  const auto days = found.days_ahead.value_or(-1);
  check_result out{"partitions", verdict::ok,
                   fmt::format("{} days ahead", days)};
  if (days >= 1)
    return out;
  out.found = days < 0 ? "none for today" : "none for tomorrow";
  out.what = days < 0 ? verdict::fail : verdict::warn;
  out.hint = "a running node makes them: start one, or see its log";
  return out;
}

/// Days beyond the one that may be dropped next.
int behind(std::optional<int> oldest, std::chrono::milliseconds kept) {
  if (!oldest || kept == 0ms)
    return 0;
  const auto days = std::chrono::ceil<std::chrono::days>(kept);
  return *oldest - static_cast<int>(days.count()) - 1;
}

check_result check_retention(const store::database_facts& found,
                             const retention_rules& kept) {
  // A delivery ends within some days, and may then be a dead letter.
  const auto letters =
      kept.dead_letters == 0ms ? 0ms : kept.dead_letters + std::chrono::days{4};
  const auto events =
      behind(found.oldest_event_day, longer(kept.events, letters));
  const auto attempts = behind(found.oldest_attempt_day, attempts_kept(kept));
  check_result out{"retention", verdict::ok,
                   fmt::format("the oldest events are {} days old, the oldest "
                               "attempts {}",
                               found.oldest_event_day.value_or(0),
                               found.oldest_attempt_day.value_or(0))};
  if (events <= 0 && attempts <= 0)
    return out;
  out.what = verdict::warn;
  out.hint =
      events > attempts
          ? "an open delivery or a dead letter needs them, or no node can drop "
            "them: see the janitor's log"
          : "no node can drop them: see the janitor's log";
  return out;
}

} // namespace

check_results check_database(const std::string& url,
                             const retention_rules& kept) {
  check_results out;
  try {
    const auto found = store::facts_of(url);
    out.push_back({"database", verdict::ok, "answers"});
    out.push_back(check_version(found));
    out.push_back(check_clock(found));
    out.push_back(check_settings(found));
    out.push_back(check_connections(found));
    out.push_back(check_migrations(url));
    if (!found.has_schema)
      return out;
    out.push_back(check_rights(found));
    out.push_back(check_partitions(found));
    out.push_back(check_retention(found, kept));
  } catch (const store::error& fault) {
    out.push_back({"database", verdict::fail, fault.what(),
                   "see storage.url, and whether the server runs"});
  }
  return out;
}

} // namespace postrider::app
