#include "actors/reader_state.hpp"

#include "core/spread.hpp"

namespace postrider::actors {

using namespace std::chrono;

namespace {

// Late ranges that are followed before what was found goes out; beyond that
// what may be out of order is read again.
constexpr int most_rounds = 16;

} // namespace

void reader_state::look_and_follow(delivery_list rows) {
  if (rows.empty() || !window.may_be_late())
    return follow_late(std::move(rows));
  ask(atom::peek_v)
      .then(
          [this, rows](const store::new_rows& got) {
            answered();
            saw(got);
            follow_late(rows);
          },
          [this, rows, later = or_later()](const caf::error& fault) {
            give_back(rows);
            later(fault);
          });
}

void reader_state::follow_late(delivery_list rows, int rounds) {
  const auto range =
      rows.empty() || rounds == most_rounds ? std::nullopt : window.next_late();
  if (!range)
    return hand_out(window.in_order(std::move(rows)));
  ask(atom::read_v, read_query{partitions, *range, window.skipped()})
      .then(
          [this, rows, range = *range, rounds](const store::new_rows& got) {
            answered();
            saw(got);
            auto all = window.take_late(range, got.rows);
            all.insert(all.end(), rows.begin(), rows.end());
            follow_late(std::move(all), rounds + 1);
          },
          [this, rows, range = *range,
           later = or_later()](const caf::error& fault) {
            window.put_back(range);
            give_back(rows);
            later(fault);
          });
}

void reader_state::give_back(const delivery_list& rows) {
  for (const auto& row : rows)
    window.give_back(row);
}

void reader_state::saw(const store::new_rows& got) {
  window.saw({got.seen.xmax, got.seen.running, got.seen.next}, got.allocated);
  options.counters->late = window.late_found();
}

void reader_state::hand_out(delivery_list rows, bool were_read) {
  // What was asked before a partition changed hands is not its present state.
  std::erase_if(rows, [this](const delivery& row) {
    const bool foreign =
        !drivers.contains(row.partition) || gained.contains(row.partition);
    if (foreign)
      window.leave(row.id);
    return foreign;
  });
  gauge();
  if (rows.empty()) {
    regated.clear();
    return go_on();
  }
  options.counters->meters.read.claimed(rows, options.counters->database_now());
  // Where something was found there will be more.
  if (were_read)
    poll = options.poll_min;
  else
    options.counters->handed_over += rows.size();
  cache.trim();
  content_query query;
  contents here;
  std::set<uuid> events;
  std::set<std::int64_t> unknown;
  for (const auto& row : rows) {
    if (events.insert(row.event).second) {
      if (auto known = recent.find(row.event))
        here.events.emplace(row.event, std::move(known));
      else
        query.events.push_back(row.event);
    }
    if (!cache.find(row.endpoint) && unknown.insert(row.endpoint).second)
      query.endpoints.push_back(row.endpoint);
  }
  if (query.events.empty() && query.endpoints.empty()) {
    distribute(rows, here, now());
    return go_on();
  }
  ask(atom::content_v, std::move(query))
      .then(
          [this, rows, here, read_at = now()](contents got) {
            answered();
            cache.add(got.endpoints);
            got.events.insert(here.events.begin(), here.events.end());
            distribute(rows, got, read_at);
            go_on();
          },
          [this, rows, later = or_later()](const caf::error& fault) {
            give_back(rows);
            later(fault);
          });
}

void reader_state::distribute(const delivery_list& rows, const contents& got,
                              time_point read_at) {
  std::map<std::uint16_t, work_list> shares;
  // What endpoints that were not known yet may keep of theirs.
  std::map<std::int64_t, std::size_t> may;
  for (const auto& row : rows) {
    // Its partition changed hands meanwhile: it is read again, if at all.
    if (!window.contains(row.id))
      continue;
    if (regated.contains(row.endpoint)) {
      window.give_back(row);
      continue;
    }
    const auto event = got.events.find(row.event);
    auto to = cache.find(row.endpoint);
    if (to) {
      const auto keep =
          window.assign(row.endpoint, std::hash<std::string>{}(to->tenant));
      auto& left = may.try_emplace(row.endpoint, keep).first->second;
      if (left == 0) {
        window.give_back(row);
        continue;
      }
      --left;
    }
    shares[row.partition].push_back(
        {row, event == got.events.end() ? nullptr : event->second,
         std::move(to), read_at});
  }
  regated.clear();
  for (auto& [partition, share] : shares)
    self->send(drivers.at(partition), atom::claimed_v, std::move(share));
}

void reader_state::doubt() {
  doubt_at = now() + options.doubt_every;
  for (const auto id : options.flights->disowned())
    window.disowned(id);
  for (auto& [partition, ids] : window.lingering())
    options.flights->doubt(partition, std::move(ids));
}

void reader_state::gauge() {
  options.counters->in_window = window.size();
  options.counters->window_bytes = window.bytes();
}

void reader_state::sleep() {
  auto until = now() + spread(poll, dice);
  // What is overdue waits for room or for the database, not for a moment.
  for (const auto at : {due_at, sweep_at, refresh_at, clock_at})
    if (at > now())
      until = std::min(until, at);
  if (armed && armed_for <= until)
    return;
  armed = true;
  armed_for = until;
  const auto wait = std::max<nanoseconds>(until - now(), 1ms);
  self->delayed_send(self, wait, atom::tick_v, ++ticks);
}

} // namespace postrider::actors
