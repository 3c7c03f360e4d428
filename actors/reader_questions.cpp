#include "actors/reader_state.hpp"
#include "core/failpoint.hpp"
#include "core/public_id.hpp"

namespace postrider::actors {

using namespace std::chrono;

void reader_state::go_on() {
  if (busy || partitions.empty())
    return;
  if (now() >= doubt_at)
    doubt();
  if (now() >= refresh_at)
    return ask_changes();
  if (anew || !gained.empty())
    return ask_start();
  tell_gates();
  if (take_handed())
    return;
  if (auto range = window.next_late())
    return ask_late(*range);
  // By turns: in a steady flow there is always something new, and what is due
  // or was left out must not wait for its end.
  for (int tried = 0; tried < 5; ++tried) {
    turn = (turn + 1) % 5;
    if (turn == 0   ? ask_rows()
        : turn == 1 ? ask_shares()
        : turn == 2 ? ask_due()
        : turn == 3 ? ask_clock()
                    : ask_sweep())
      return;
  }
  if (woken)
    return ask_peek();
  sleep();
}

void reader_state::answered() {
  busy = false;
  watch.done();
  if (!options.counters->storage_up.exchange(true))
    options.log(level::info, name, "the database answers");
}

void reader_state::ask_start() {
  // An answer that came after they were lost may have left something.
  for (const auto one : gained)
    window.drop(one);
  for (const auto& [endpoint, one] : early)
    window.set_gate(one.partition, endpoint, one.how, {});
  ask(atom::start_v,
      anew ? partitions : partition_list{gained.begin(), gained.end()})
      .then(
          [this, asked = gained, whole = anew](std::int64_t from) {
            answered();
            for (const auto one : asked)
              gained.erase(one);
            forget_early(asked);
            if (whole) {
              window.start_anew(from);
              handed = {};
            } else {
              window.restart(from);
            }
            anew = false;
            go_on();
          },
          or_later());
}

bool reader_state::wait_for_own() {
  if (!may_wait || options.counters->ingests == 0)
    return false;
  window.leave_for_now();
  waiting = true;
  return true;
}

/// Some time has passed.
void reader_state::look_again() {
  may_wait = !std::exchange(waiting, false);
  if (window.cursor() == window.allocated() || !wait_for_own())
    window.look_again();
}

/// Without a question, if nothing that was not read yet can stand before it.
bool reader_state::take_handed() {
  if (handed.size() == 0)
    return false;
  auto rows = window.take_handed(handed);
  if (rows.empty()) {
    // Others have drawn in between.
    if (handed.size() > 0)
      wait_for_own();
    return false;
  }
  waiting = false;
  may_wait = true;
  hand_out(std::move(rows), false);
  return true;
}

bool reader_state::ask_rows() {
  auto range = window.next();
  if (!range)
    return false;
  POSTRIDER_FAILPOINT("reader.asks");
  range->limit = std::min(range->limit, options.most);
  ask(atom::read_v, read_query{partitions, *range, window.skipped()})
      .then(
          [this, range = *range](const store::new_rows& got) {
            answered();
            may_wait = true;
            saw(got);
            follow_late(window.take(range, got.rows));
          },
          or_later());
  return true;
}

void reader_state::ask_late(const read_range& range) {
  ask(atom::read_v, read_query{partitions, range, window.skipped()})
      .then(
          [this, range](const store::new_rows& got) {
            answered();
            saw(got);
            follow_late(window.take_late(range, got.rows));
          },
          [this, range, later = or_later()](const caf::error& fault) {
            window.put_back(range);
            later(fault);
          });
}

bool reader_state::ask_shares() {
  auto shares = window.next_shares();
  if (shares.empty())
    return false;
  share_query query;
  query.upto = window.cursor();
  for (const auto& one : shares)
    query.wanted.push_back(
        {one.partition, one.endpoint, one.after, one.limit, one.held});
  ask(atom::share_v, std::move(query))
      .then(
          [this, shares = std::move(shares)](const delivery_list& rows) {
            answered();
            look_and_follow(window.take_shares(shares, rows));
          },
          or_later());
  return true;
}

bool reader_state::ask_due() {
  if (now() < due_at || window.room() == 0)
    return false;
  due_query query{partitions, window.due_after(), window.due_skipped(),
                  std::max(options.most, window.room_and_known())};
  ask(atom::due_v, std::move(query))
      .then(
          [this](const store::due_rows& got) {
            answered();
            auto rows = window.take_due(got.rows, got.upto, got.now);
            due_at = got.upto < got.now && !rows.empty()
                         ? now()
                         : now() + options.due_every;
            hand_out(std::move(rows));
          },
          or_later());
  return true;
}

bool reader_state::ask_sweep() {
  if (now() < sweep_at || window.room() == 0)
    return false;
  if (!drivers.contains(swept.partition))
    swept.after = 0;
  const auto next =
      std::upper_bound(partitions.begin(), partitions.end(), swept.partition);
  if (swept.after == 0)
    swept.partition = next == partitions.end() ? partitions.front() : *next;
  swept.limit = 1'000;
  ask(atom::sweep_v, swept)
      .then(
          [this](const delivery_list& rows) {
            answered();
            const bool whole = std::ssize(rows) < swept.limit
                               || rows.back().id > window.cursor();
            swept.after = whole ? 0 : rows.back().id;
            sweep_at = now() + options.sweep_every;
            look_and_follow(window.take_swept(rows));
          },
          or_later());
  return true;
}

/// The health clock: trials that are due, and what goes out again.
bool reader_state::ask_clock() {
  if (now() < clock_at)
    return false;
  ask(atom::clock_v, partitions)
      .then(
          [this](const notice_list& due) {
            answered();
            clock_at = now() + options.clock_every;
            if (due.empty())
              return go_on();
            tell_clock(due);
          },
          or_later());
  return true;
}

void reader_state::tell_clock(const notice_list& due) {
  content_query query;
  for (const auto& one : due)
    query.endpoints.push_back(one.endpoint);
  ask(atom::content_v, std::move(query))
      .then(
          [this, due](const contents& got) {
            answered();
            cache.add(got.endpoints);
            std::map<std::uint16_t, clock_list> shares;
            for (const auto& one : due)
              if (auto of = cache.find(one.endpoint);
                  of && drivers.contains(one.partition)
                  && !gained.contains(one.partition))
                shares[one.partition].push_back({std::move(of), one.held});
            for (auto& [partition, share] : shares)
              self->send(drivers.at(partition), atom::clock_v,
                         std::move(share));
            go_on();
          },
          or_later());
}

void reader_state::tell_gates() {
  for (const auto& one : window.gates_done())
    if (const auto to = drivers.find(one.partition); to != drivers.end())
      self->send(to->second, atom::own_v, one.endpoint);
}

void reader_state::ask_peek() {
  woken = false;
  ask(atom::peek_v)
      .then(
          [this](const store::new_rows& got) {
            answered();
            const auto before = window.allocated();
            saw(got);
            look_again();
            // An id was drawn: its commit is near. What stays open for long
            // is no reason to look more often.
            poll = window.allocated() > before || waiting
                       ? options.poll_min
                       : std::min(std::max(poll * 2, options.poll_min),
                                  options.poll_max);
            go_on();
          },
          or_later());
}

void reader_state::ask_changes() {
  ask(atom::changed_v, cache.version())
      .then(
          [this](const endpoint_changes& got) {
            answered();
            refresh_at = now() + options.endpoints_every;
            for (const auto& one : got.changed)
              tell_changed(*one);
            for (auto& [partition, changed] : cache.refresh(got))
              if (const auto to = drivers.find(partition); to != drivers.end())
                self->send(to->second, atom::endpoints_v, std::move(changed));
            go_on();
          },
          or_later());
}

void reader_state::tell_changed(const endpoint& what) {
  log_fields about;
  about.endpoint = endpoint_public_id(what.public_id);
  options.log(level::info, name,
              what.deleted ? "an endpoint was deleted"
                           : "an endpoint was changed",
              about);
}

} // namespace postrider::actors
