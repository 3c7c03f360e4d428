// What the reader asks (store/reader.cpp).
#include "tests/actors/fake_read_store.hpp"
#include "tests/simulation/model_database.hpp"

#include <algorithm>

namespace postrider::testing {

store::new_rows model_database::rows(std::vector<delivery> found) {
  tick();
  const auto view = table_.look();
  store::new_rows out;
  out.seen.xmax = in_.defects.cursor_alone ? view.next : view.xmax;
  if (!in_.defects.cursor_alone)
    out.seen.running = view.running;
  out.seen.next = view.next;
  out.allocated = table_.allocated();
  out.rows = std::move(found);
  return out;
}

std::int64_t model_database::start_of(const actors::partition_list& of) {
  tick();
  return statements::start_of(table_.look(), of, table_.allocated());
}

store::new_rows model_database::read(const actors::read_query& q) {
  tick();
  auto found = statements::read(table_.look(), q.partitions, q.range, q.skip);
  say_found("read from " + std::to_string(q.range.after) + " up to "
                + std::to_string(q.range.upto),
            found);
  return rows(std::move(found));
}

void model_database::say_found(const std::string& asked,
                               const std::vector<delivery>& rows) const {
  if (!in_.seen.loud())
    return;
  auto said = "  " + asked + ":";
  for (const auto& row : rows)
    said += " " + std::to_string(row.id) + (row.held ? " (held)" : "");
  in_.seen.say(in_.now(), said);
}

actors::delivery_list model_database::share(const actors::share_query& q) {
  tick();
  auto found = share_of(table_.look(), q);
  say_found("share up to " + std::to_string(q.upto), found);
  return found;
}

store::due_rows model_database::due(const actors::due_query& q) {
  tick();
  return due_of(table_.look(), q);
}

actors::delivery_list model_database::sweep(const actors::sweep_query& q) {
  tick();
  if (in_.defects.cursor_alone)
    return {};
  return statements::sweep(table_.look(), q.partition, q.after, q.limit);
}

actors::notice_list
model_database::health_due(const actors::partition_list& of) {
  tick();
  const auto view = table_.look();
  actors::notice_list out;
  for (const auto& [id, one] : health_) {
    const auto partition = specs_.at(id)->partition;
    if (std::ranges::find(of, partition) == of.end())
      continue;
    const bool held = std::ranges::any_of(view.rows, [&](const delivery& row) {
      return row.endpoint == id && row.held;
    });
    const bool due = (one.trial_at && *one.trial_at <= now())
                     || (one.retire_at && *one.retire_at <= now());
    const bool wanted = held || one.of.state == health_state::degraded
                        || one.shedding
                        || (one.retire_at && *one.retire_at <= now());
    if (due && !one.paused && wanted)
      out.push_back({id, partition, held});
    if (one.releasing)
      out.push_back({id, partition, true});
  }
  return out;
}

actors::contents model_database::content(const asker& by,
                                         const actors::content_query& q) {
  tick();
  actors::contents out;
  for (const auto& id : q.events) {
    const auto place = events_.find(id);
    if (place == events_.end())
      continue;
    event_content one;
    one.id = id;
    one.content_type = "application/json";
    one.payload = std::make_shared<const std::string>(place->second.sha256);
    out.events[id] = std::make_shared<const event_content>(std::move(one));
  }
  for (const auto id : q.endpoints)
    out.endpoints.push_back(as_seen(by, id));
  return out;
}

actors::endpoint_changes model_database::changes(const asker& by,
                                                 std::int64_t version) {
  tick();
  if (version < 0)
    return {{}, last_version_};
  actors::endpoint_changes out{{}, last_version_};
  std::map<std::int64_t, std::int64_t> above;
  for (const auto& [id, at] : versions_)
    if (at > version)
      above[at] = id;
  for (const auto& [at, id] : above)
    out.changed.push_back(as_seen(by, id));
  return out;
}

endpoint_ptr model_database::as_seen(const asker& by, std::int64_t id) const {
  auto out = *specs_.at(id);
  out.version = versions_.at(id);
  out.health = record(by, id);
  return std::make_shared<const endpoint>(std::move(out));
}

} // namespace postrider::testing
