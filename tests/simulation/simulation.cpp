#include "tests/simulation/simulation.hpp"

#include "core/public_id.hpp"
#include "tests/faults/check.hpp"
#include "tests/simulation/mischief.hpp"
#include "tests/simulation/producers.hpp"

#include <algorithm>
#include <set>

namespace postrider::testing {

using namespace std::chrono_literals;

namespace {

class simulation {
public:
  simulation(std::uint64_t seed, const plan& what, model_defects wrong,
             bool loud)
      : in_{seed, what, wrong, loud} {
    out_.seed = seed;
  }

  sim_verdict run() {
    prepare();
    run_until(in_.playing.storm, [] { return false; });
    mischief_.heal();
    const bool drained = run_until(in_.time.now() + in_.playing.quiet, [this] {
      return producers_.done() && database_.open() == 0;
    });
    // What comes too much comes soon.
    run_until(in_.time.now() + 3s, [] { return false; });
    nodes_.end();
    judge(drained);
    return out_;
  }

private:
  void prepare() {
    for (int i = 1; i <= in_.playing.endpoints; ++i)
      add_endpoint(i);
    for (int i = 0; i < in_.playing.nodes; ++i) {
      nodes_.add_place();
      const auto where = static_cast<std::size_t>(i);
      in_.time.in(nanos{in_.by.upto(0, 2'000'000'000)},
                  [this, where] { nodes_.start(where); });
    }
    producers_.plan_all();
    mischief_.begin();
    upkeep();
  }

  void upkeep() {
    in_.time.in(30s, [this] {
      if (!database_.away)
        database_.rescue_held();
      upkeep();
    });
  }

  void add_endpoint(int id) {
    auto& by = in_.by;
    endpoint one;
    one.id = id;
    one.public_id = in_.some_id();
    one.tenant = "t";
    one.partition =
        static_cast<std::uint16_t>(by.upto(0, in_.playing.partitions - 1));
    one.target =
        std::get<url>(parse_url("http://receiver.test/" + std::to_string(id)));
    one.order = by.chance(0.8) ? ordering::fifo : ordering::none;
    one.retry.waits = {100ms, 300ms, 800ms, 2s};
    one.retry.max_attempts = by.chance(0.1) ? 2 : 60;
    one.retry.jitter_low = 0.8;
    one.retry.jitter_high = 1.2;
    one.retry.max_age = 96h;
    one.max_in_flight = static_cast<int>(by.upto(1, 6));
    if (by.chance(0.1))
      one.rate = static_cast<double>(by.upto(5, 30));
    one.connect_timeout = one.timeout = 0ms; // the node's
    database_.add_endpoint(std::move(one), true);
  }

  template <class Done>
  bool run_until(nanos end, Done done) {
    while (in_.time.now() < end) {
      if (nodes_.run_one()) {
        ++out_.messages;
        in_.time.pass(std::chrono::microseconds{in_.by.upto(1, 30)});
      }
      move_on(end);
      if (done())
        return true;
    }
    return done();
  }

  /// What is due by now happens; where nothing is and no actor has anything to
  /// do, time jumps.
  void move_on(nanos end) {
    const bool idle = !has_job();
    const auto event = in_.time.next();
    const auto timer = nodes_.next_timer();
    const auto limit = idle ? end : in_.time.now();
    if (event && *event <= limit && (!timer || *event <= *timer))
      return in_.time.run_next();
    if (timer && *timer <= limit) {
      in_.time.move_to(*timer);
      return nodes_.catch_up();
    }
    if (idle)
      in_.time.move_to(end);
  }

  bool has_job() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_.runs(i) && nodes_.at(i)->has_job())
        return true;
    return false;
  }

  void judge(bool drained) {
    database_.dump();
    auto verdicts = check_all(history_of(in_.lines));
    replace(verdicts, check_order(history_of(with_unreached())));
    // What comes after a row that was lost does not know of it.
    if (in_.playing.lost_messages > 0)
      std::erase_if(verdicts, [](const auto& one) { return one.id == "I3"; });
    for (const auto& one : verdicts)
      out_.broken[one.id] = one.broken > 0;
    if (!drained)
      out_.offence += stuck();
    if (!holds(verdicts))
      out_.offence += report(verdicts);
    out_.broken["stuck"] = !drained;
    out_.hash = in_.seen.hash();
    out_.reached = in_.reached;
    out_.lasted =
        std::chrono::duration_cast<std::chrono::seconds>(in_.time.now());
  }

  static history history_of(const std::vector<ledger_line>& lines) {
    history out;
    for (const auto& line : lines)
      out.add(line);
    out.finish();
    return out;
  }

  static void replace(std::vector<verdict>& all, verdict by) {
    for (auto& one : all)
      if (one.id == by.id)
        one = std::move(by);
  }

  std::string stuck() {
    std::string out = "not drained:";
    for (const auto& row : database_.open_rows())
      out += " " + std::to_string(row.id) + " of endpoint "
             + std::to_string(row.endpoint)
             + (row.held  ? " held"
                : row.due ? " due"
                          : " queued")
             + ";";
    if (!producers_.done())
      out += " a producer waits";
    return out + "\n";
  }

  /// Attempts that never reached their receiver are no arrivals, but take their
  /// place in the order of first attempts by when they began; not so those that
  /// count as none, which their node makes again.
  std::vector<ledger_line> with_unreached() const {
    auto out = in_.lines;
    using attempt = std::pair<std::string, int>;
    std::map<attempt, std::set<std::string>> arrived;
    std::map<attempt, std::string> written;
    std::map<std::string, std::int64_t> ended; ///< or hindered, at last
    for (const auto& line : in_.lines) {
      if (const auto* got = std::get_if<arrival_line>(&line))
        arrived[{got->id, got->attempt}].insert(got->node);
      else if (const auto* by = std::get_if<written_line>(&line))
        written[{by->id, by->number}] = by->node;
      else if (const auto* mark = std::get_if<mark_line>(&line))
        ended[mark->node] =
            std::max(ended[mark->node], std::max(mark->at, mark->until));
    }
    for (const auto& [line, offline] : network_.unreached()) {
      const attempt which{line.id, line.attempt};
      // It may have lost its lease since, and have made the attempt anew when
      // it held it once more.
      const bool hindered = ended[line.node] >= line.at;
      if (offline && written[which] != line.node && !hindered)
        continue;
      if (!arrived[which].insert(line.node).second && !hindered)
        continue;
      out.emplace_back(line);
      out.emplace_back(decision_line{line.number, "reset", 0, line.at});
    }
    return out;
  }

  sim_verdict out_;
  world in_;
  model_database database_{in_};
  model_network network_{in_, database_};
  fleet nodes_{in_, database_, network_};
  producers producers_{in_, database_, nodes_};
  mischief mischief_{in_, database_, network_, nodes_};
};

} // namespace

sim_verdict simulate(std::uint64_t seed, model_defects wrong, bool loud) {
  return simulate(seed, make_plan(seed), wrong, loud);
}

sim_verdict simulate(std::uint64_t seed, const plan& what, model_defects wrong,
                     bool loud) {
  return simulation{seed, what, wrong, loud}.run();
}

} // namespace postrider::testing
