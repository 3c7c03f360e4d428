// The outcome write (store/settler.cpp, actors/settle_store.cpp).
#include "core/public_id.hpp"
#include "tests/simulation/model_database.hpp"

#include <algorithm>
#include <cassert>

namespace postrider::testing {

namespace {

bool holds_unsent(const store::settlement& one) {
  return one.state == delivery_state::held && !one.sent;
}

bool ends(const store::settlement& one) {
  return one.state != delivery_state::retrying
         && one.state != delivery_state::held;
}

/// As the store actor does: of two words on one row the outcome counts.
actors::settlement_list without_stale_holds(actors::settlement_list batch) {
  std::map<std::int64_t, int> words;
  for (const auto& one : batch)
    ++words[one.delivery];
  std::erase_if(batch, [&](const auto& one) {
    return holds_unsent(one) && words[one.delivery]-- > 1;
  });
  return batch;
}

} // namespace

actors::settle_report
model_database::settle(const asker& by, const actors::settlement_list& given) {
  tick();
  actors::settle_report out;
  for (const auto& one : without_stale_holds(given)) {
    out.deliveries.push_back(one.delivery);
    if (in_.defects.drops_outcomes && in_.by.chance(0.05))
      continue;
    const bool hit = apply(by, one);
    in_.seen.note(in_.now(), hit ? "written" : "fenced", one.delivery,
                  one.attempts, static_cast<int>(one.state));
    if (hit || holds_unsent(one))
      continue;
    ++out.fenced;
    in_.rare("fence hit nothing");
  }
  return out;
}

bool model_database::apply(const asker& by, const store::settlement& one) {
  if (!in_.defects.unfenced && !holds_lease(by, one.partition, one.epoch))
    return false;
  const auto* row = table_.find(one.delivery);
  if (!row || row->partition != one.partition || row->attempts != one.attempts)
    return false;
  const bool holds =
      one.state == delivery_state::held && health_.at(row->endpoint).holds();
  if (holds_unsent(one) && !holds) {
    in_.rare("not held: its endpoint is healthy on record");
    return false;
  }
  if (ends(one) || one.sent)
    note_attempt(&by, one, ends(one));
  if (ends(one))
    table_.remove(one.delivery);
  else if (holds)
    table_.hold(one.delivery, one.sent);
  else
    table_.retry(one.delivery, now() + one.wait.count() * 1'000);
  if (holds)
    in_.rare(one.sent ? "held after its attempt" : "held as it was read");
  return true;
}

void model_database::note_attempt(const asker* by, const store::settlement& one,
                                  bool last) {
  attempt_line line;
  line.id = delivery_name(one.delivery, one.partition, one.event);
  line.endpoint = public_name(one.endpoint);
  line.event = event_public_id(one.event);
  line.number = one.attempts;
  line.status = one.status.value_or(0);
  line.sent = one.sent;
  line.last = last;
  line.outcome = to_string(ends(one) ? one.state : delivery_state::failed);
  line.error = to_string(one.error);
  line.started = line.ended = in_.now();
  if (by && one.sent) {
    line.started = (one.started.time_since_epoch() - by->ahead).count();
    line.ended = line.started + nanos{one.duration}.count();
    // However late it was heard of.
    if (one.error == attempt_error::timeout_response)
      line.ended =
          std::min(line.ended, line.started + nanos{request_timeout}.count());
  }
  in_.write(written_line{line.id, line.number, one.partition,
                         by ? by->name : "", in_.now()});
  attempts_.push_back(std::move(line));
}

std::string model_database::delivery_name(std::int64_t id,
                                          std::uint16_t partition,
                                          const uuid& event) const {
  return delivery_public_id({id, partition, salt_of(event)});
}

} // namespace postrider::testing
