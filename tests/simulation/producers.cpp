#include "tests/simulation/producers.hpp"

#include "core/public_id.hpp"

namespace postrider::testing {

using namespace std::chrono_literals;

void producers::plan_all() {
  const auto& p = in_.playing;
  for (int left = p.events; left > 0;) {
    const auto when = nanos{in_.by.upto(0, p.storm.count() * 9 / 10)};
    ++under_way_;
    if (in_.by.chance(p.by_sql)) {
      const auto many = static_cast<int>(in_.by.upto(1, 5));
      in_.time.at(when, [this, many] { begin(many); });
      left -= many;
    } else {
      in_.time.at(when, [this] {
        auto what = some_event();
        note_call(what, "");
        call(std::move(what));
      });
      --left;
    }
  }
}

model_database::published producers::some_event() {
  model_database::published out;
  out.id = in_.some_id();
  out.tenant = "t";
  out.key = "k" + std::to_string(++keys_);
  out.sha256 = "of " + out.key;
  out.stream = "s" + std::to_string(in_.by.upto(0, 2));
  for (const auto id : database_.endpoints())
    if (in_.by.chance(0.4))
      out.to.push_back(id);
  if (out.to.empty())
    out.to.push_back(1);
  return out;
}

void producers::note_call(const model_database::published& what,
                          const std::string& transaction) {
  call_line line{what.key,    what.tenant, what.sha256, what.stream,
                 transaction, {},          in_.now()};
  for (const auto id : what.to)
    line.endpoints.push_back(database_.public_name(id));
  in_.write(std::move(line));
}

// -- transactions of applications --------------------------------------------

void producers::begin(int many) {
  write_one(database_.begin(), many, {});
}

void producers::write_one(std::uint64_t by, int left,
                          std::vector<std::pair<std::string, uuid>> written) {
  const nanos pause{
      in_.by.upto(0, in_.playing.longest_transaction.count() / 3)};
  in_.time.in(pause, [this, by, left, written = std::move(written)]() mutable {
    if (!database_.is_open(by)) { // rolled back by a crash
      --under_way_;
      return;
    }
    if (left == 0)
      return end(by, written);
    auto what = some_event();
    note_call(what, "x" + std::to_string(by));
    written.emplace_back(what.key, database_.publish(by, what));
    write_one(by, left - 1, std::move(written));
  });
}

void producers::end(std::uint64_t by,
                    const std::vector<std::pair<std::string, uuid>>& written) {
  --under_way_;
  if (in_.by.chance(in_.playing.rolled_back))
    return database_.roll_back(by);
  database_.commit(by);
  for (const auto& [key, id] : written)
    in_.write(answer_line{key, 201, event_public_id(id), in_.now()});
}

// -- calls to the nodes ------------------------------------------------------

void producers::call(model_database::published what) {
  const auto places = nodes_.present();
  const auto later = [this, what] {
    in_.time.in(nanos{in_.by.upto(20'000'000, 400'000'000)},
                [this, what] { call(what); });
  };
  if (places.empty())
    return later();
  new_event event;
  event.tenant = what.tenant;
  event.key = what.key;
  event.payload = what.sha256;
  event.ordering_key = what.stream;
  for (const auto id : what.to)
    event.type += static_cast<char>('0' + id);
  auto over = std::make_shared<bool>(false);
  const auto answer = [this, what, later,
                       over](actors::ingest_call::verdict how,
                             const std::vector<ingest_result>& results) {
    if (std::exchange(*over, true))
      return;
    if (how == actors::ingest_call::verdict::stored) {
      --under_way_;
      in_.write(answer_line{what.key, 201, event_public_id(results[0].id),
                            in_.now()});
      return;
    }
    in_.rare("a call was not answered");
    in_.write(answer_line{what.key, 503, "", in_.now()});
    later();
  };
  nodes_.at(in_.by.one_of(places))
      ->ingest(std::make_shared<actors::ingest_call>(
          std::vector<new_event>{event}, answer));
  // The patience of the caller.
  in_.time.in(
      3s, [answer] { answer(actors::ingest_call::verdict::unavailable, {}); });
}

} // namespace postrider::testing
