// Endpoints, producers' transactions, and what stands there at the end.
#include "core/public_id.hpp"
#include "tests/simulation/model_database.hpp"

#include <algorithm>

namespace postrider::testing {

model_database::model_database(world& in)
    : in_{in}, leases_{static_cast<std::size_t>(in.playing.partitions)} {}

void model_database::tick() {
  table_.now = 1'000'000'000 + in_.now() / 1'000;
}

void model_database::add_endpoint(endpoint what, bool by_event) {
  in_.write(endpoint_line{endpoint_public_id(what.public_id), what.tenant,
                          what.order == ordering::fifo, by_event});
  health_[what.id];
  changed(what.id);
  specs_[what.id] = std::make_shared<const endpoint>(std::move(what));
}

void model_database::changed(std::int64_t endpoint) {
  versions_[endpoint] = ++last_version_;
}

std::vector<std::int64_t> model_database::endpoints() const {
  std::vector<std::int64_t> out;
  for (const auto& [id, one] : specs_)
    out.push_back(id);
  return out;
}

std::string model_database::public_name(std::int64_t endpoint) const {
  return endpoint_public_id(specs_.at(endpoint)->public_id);
}

bool model_database::key_is_free(const std::string& key) const {
  const auto place = keys_.find(key);
  if (place == keys_.end())
    return true;
  return std::ranges::none_of(written_by_, [&](const auto& item) {
    return std::ranges::find(item.second, place->second) != item.second.end();
  });
}

uuid model_database::publish(std::uint64_t by, published event) {
  tick();
  if (const auto had = keys_.find(event.key); had != keys_.end())
    return had->second;
  const auto id = event.id;
  for (const auto endpoint : event.to) {
    const auto& spec = *specs_.at(endpoint);
    delivery row;
    row.partition = spec.partition;
    row.endpoint = endpoint;
    row.event = id;
    for (const char c : event.stream)
      row.stream = row.stream * 131 + c;
    row.size = static_cast<std::int32_t>(event.sha256.size());
    row.remaining = std::chrono::hours{96};
    row.held = health_.at(endpoint).holds();
    table_.draw(by, row);
  }
  keys_[event.key] = id;
  events_[id] = std::move(event);
  written_by_[by].push_back(id);
  return id;
}

std::vector<fresh_delivery> model_database::made(std::uint64_t by) const {
  std::vector<fresh_delivery> out;
  for (const auto& row : table_.written_by(by))
    out.push_back({row, !row.held});
  return out;
}

void model_database::commit(std::uint64_t which) {
  table_.commit(which);
  written_by_.erase(which);
  in_.seen.note(in_.now(), "commit", which);
}

void model_database::roll_back(std::uint64_t which) {
  table_.roll_back(which);
  for (const auto& id : written_by_[which]) {
    keys_.erase(events_.at(id).key);
    events_.erase(id);
  }
  written_by_.erase(which);
  in_.seen.note(in_.now(), "rollback", which);
}

void model_database::crash() {
  const auto open = table_.open();
  for (const auto which : open)
    roll_back(which);
  table_.take_ids_back(in_.by.upto(0, 32));
  ++lives;
}

void model_database::dump() {
  for (const auto& [id, one] : events_)
    in_.write(event_line{event_public_id(id), one.tenant, one.key, one.sha256});
  for (const auto& row : table_.look().rows)
    in_.write(open_line{delivery_name(row.id, row.partition, row.event),
                        public_name(row.endpoint), event_public_id(row.event),
                        row.held       ? "held"
                        : row.due != 0 ? "retrying"
                                       : "queued",
                        row.attempts, true});
  for (const auto& one : attempts_)
    in_.write(one);
}

} // namespace postrider::testing
