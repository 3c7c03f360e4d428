#include "app/reloader.hpp"

#include "config/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <utility>

namespace postrider::app {

namespace {

constexpr std::size_t most_waiting = 16;
constexpr auto name = "config";

auto now() {
  return std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::system_clock::now());
}

} // namespace

reloader::reloader(config::reading started, parts with)
    : with_{std::move(with)},
      now_{std::move(started)},
      applied_at_{app::now()} {
  status_.last_success_seconds =
      applied_at_.time_since_epoch() / std::chrono::seconds{1};
  worker_ = std::thread{[this] { work(); }};
}

reloader::~reloader() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  more_.notify_one();
  worker_.join();
}

void reloader::reload(callback done) {
  enqueue({true, std::move(done)});
}

void reloader::check(callback done) {
  enqueue({false, std::move(done)});
}

void reloader::enqueue(job what) {
  {
    const std::lock_guard lock{mutex_};
    if (!ending_ && jobs_.size() < most_waiting) {
      jobs_.push_back(std::move(what));
      more_.notify_one();
      return;
    }
  }
  api::config_report busy;
  busy.faults.push_back({name, "too many reloads wait: try again later"});
  what.done(std::move(busy));
}

void reloader::work() {
  for (;;) {
    job next;
    {
      std::unique_lock lock{mutex_};
      more_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
      // Whoever still waits is answered before the end.
      if (jobs_.empty())
        return;
      next = std::move(jobs_.front());
      jobs_.pop_front();
    }
    next.done(run(next.apply));
  }
}

api::config_report reloader::run(bool apply) {
  api::config_report report;
  try {
    auto fresh = with_.read();
    report.faults = fresh.faults;
    report.warnings = fresh.warnings;
    if (report.faults.empty()) {
      const auto before = running();
      report.changes = config::difference(before, fresh.whole);
      const auto merged = config::after_reload(before, fresh.whole);
      // What is new must get on with what stays until a restart.
      for (const auto& [key, what] : config::check(merged))
        report.faults.push_back(
            fresh.about(key, what + " (some of it changes by a restart only)"));
      if (report.faults.empty()) {
        const auto commit = with_.prepare(merged, report.changes);
        if (apply) {
          commit();
          applied(std::move(fresh), merged, report.changes);
        }
      }
    }
  } catch (const std::exception& fault) {
    report.faults.push_back({name, fault.what()});
  }
  if (apply) {
    status_.last_reload_successful = report.faults.empty();
    tell(report);
  }
  return report;
}

void reloader::applied(config::reading fresh, const config::config& merged,
                       const std::vector<config::change>& changes) {
  const std::lock_guard lock{mutex_};
  now_ = std::move(fresh);
  now_.whole = merged;
  waiting_.clear();
  for (const auto& one : changes)
    if (!one.on_reload)
      waiting_.push_back(one.key);
  applied_at_ = app::now();
  status_.restart_required = !waiting_.empty();
  status_.last_success_seconds =
      applied_at_.time_since_epoch() / std::chrono::seconds{1};
}

void reloader::tell(const api::config_report& report) {
  using actors::level;
  for (const auto& one : report.warnings)
    with_.log(level::warn, name, one.where + ": " + one.what);
  for (const auto& one : report.faults)
    with_.log(level::error, name, one.where + ": " + one.what);
  if (!report.faults.empty()) {
    with_.log(level::error, name,
              fmt::format("not reloaded: {}; what was in force stays",
                          config::count_faults(report.faults.size(), 0)));
    return;
  }
  std::vector<std::string> changed;
  for (const auto& one : report.changes)
    if (one.on_reload)
      changed.push_back(one.key);
  with_.log(level::info, name,
            fmt::format("reloaded; changed: {}",
                        changed.empty()
                            ? std::string{"nothing"}
                            : fmt::format("{}", fmt::join(changed, ", "))));
  const std::lock_guard lock{mutex_};
  if (!waiting_.empty())
    with_.log(level::warn, name,
              fmt::format("in force after a restart only: {}",
                          fmt::join(waiting_, ", ")));
}

api::config_state reloader::state() const {
  const std::lock_guard lock{mutex_};
  return {config::show_keys(now_),        now_.conflicts, now_.files,
          status_.last_reload_successful, applied_at_,    waiting_};
}

config::config reloader::running() const {
  const std::lock_guard lock{mutex_};
  return now_.whole;
}

} // namespace postrider::app
