// The checker is only worth something if it finds what is broken: each test
// breaks one thing in the ledgers of a good run.
#include "tests/faults/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace postrider::testing {
namespace {

constexpr std::int64_t ms = 1'000;

/// Two events of one stream to one endpoint; the second is answered by 503
/// first.
class Checker : public ::testing::Test {
protected:
  void SetUp() override {
    add(endpoint_line{"ep", "acme", true, true});
    send("k1", "e1", 100 * ms);
    send("k2", "e2", 200 * ms);
    arrive(1, "d1", "e1", 0, 300 * ms, 200);
    arrive(2, "d2", "e2", 0, 400 * ms, 503);
    arrive(3, "d2", "e2", 1, 500 * ms, 200);
    store("d1", "e1", 0, 200);
    store("d2", "e2", 0, 503);
    store("d2", "e2", 1, 200);
    add(fence_line{1, "n1", 10 * ms});
    for (const auto* id : {"d1", "d2"})
      add(written_line{id, 0, 1, "n1", 600 * ms});
  }

  template <class Line>
  void add(Line line) {
    lines_.push_back(std::move(line));
  }

  void send(const std::string& key, const std::string& event, std::int64_t at,
            const std::string& transaction = "") {
    add(call_line{key, "acme", "sha " + event, "s", transaction, {"ep"}, at});
    add(answer_line{key, 201, event, at + 10 * ms});
    add(event_line{event, "acme", key, "sha " + event});
  }

  void arrive(int number, const std::string& id, const std::string& event,
              int attempt, std::int64_t at, int status) {
    add(arrival_line{number, "ep", id, event, attempt, id.back() - '0',
                     "sha " + event, true, "n1", 1, at});
    if (status != 0)
      add(decision_line{number, "status", status, at + ms});
  }

  void store(const std::string& id, const std::string& event, int number,
             int status, const std::string& error = "") {
    const bool good = status / 100 == 2;
    auto began = 5'000 * ms;
    for (const auto& line : lines_)
      if (const auto* one = std::get_if<arrival_line>(&line);
          one && one->id == id && one->attempt == number)
        began = one->at;
    add(attempt_line{id, "ep", event, number, status, true, good,
                     good ? "succeeded" : "failed", error, began - ms,
                     began + 2 * ms});
  }

  /// Changes the lines of one kind; false removes one.
  template <class Line>
  void change(const std::function<bool(Line&)>& how) {
    std::erase_if(lines_, [&](auto& line) {
      auto* one = std::get_if<Line>(&line);
      return one && !how(*one);
    });
  }

  void without_order() {
    change<endpoint_line>([](auto& one) {
      one.ordered = false;
      return true;
    });
  }

  std::vector<verdict> judge() {
    history all;
    for (const auto& line : lines_)
      all.add(parse_line(format_line(line)));
    all.finish();
    return check_all(all);
  }

  /// That this one invariant is broken, and no other.
  void broken(const std::string& id) {
    const auto all = judge();
    for (const auto& one : all) {
      EXPECT_EQ(one.broken > 0, one.id == id) << report(all);
    }
  }
  void good(const std::string& number = "", std::int64_t count = 0) {
    const auto all = judge();
    EXPECT_TRUE(holds(all)) << report(all);
    if (!number.empty()) {
      EXPECT_EQ(all[1].numbers.at(number), count) << report(all);
    }
  }

  std::vector<ledger_line> lines_;
};

TEST_F(Checker, FindsNothingInAGoodRun) {
  good("asked for", 1);
}

TEST_F(Checker, I1FindsAnAcceptedEventThatIsNotThere) {
  send("k3", "e3", 700 * ms);
  store("d3", "e3", 0, 503);
  change<attempt_line>([](auto& one) {
    one.last = one.last || one.id == "d3";
    return true;
  });
  change<event_line>([](auto& one) { return one.id != "e3"; });
  arrive(4, "d3", "e3", 0, 800 * ms, 503);
  broken("I1");
}

TEST_F(Checker, I1FindsADeliveryThatIsMissingOrWaitsForNothing) {
  send("k3", "e3", 700 * ms);
  broken("I1");
  add(open_line{"d3", "ep", "e3", "retrying", 0, true});
  good();
}

TEST_F(Checker, I1FindsTwoEventsOfOneKey) {
  add(event_line{"e9", "acme", "k1", "sha e1"});
  broken("I1");
}

TEST_F(Checker, I1LeavesAloneWhatWasNeverAccepted) {
  add(call_line{"k3", "acme", "sha", "s", "", {"ep"}, 700 * ms});
  add(answer_line{"k3", 503, "", 710 * ms});
  good();
}

TEST_F(Checker, I2FindsTwoArrivalsOfOneAttempt) {
  arrive(4, "d1", "e1", 0, 450 * ms, 200);
  broken("I2");
}

TEST_F(Checker, I2CountsACrashBetweenThemAsU1) {
  arrive(4, "d1", "e1", 0, 450 * ms, 200);
  add(mark_line{"crash", "n2", 350 * ms, 0, 0});
  broken("I2"); // another node's
  add(mark_line{"crash", "n1", 350 * ms, 0, 0});
  good("U1", 1);
}

TEST_F(Checker, I2CountsAPauseBetweenThemAsU2) {
  arrive(4, "d1", "e1", 0, 2'450 * ms, 200);
  add(mark_line{"pause", "n1", 250 * ms, 2'000 * ms, 0});
  good("U2", 1);
}

TEST_F(Checker, I2CountsALostRecordOfAnAsynchronousStandbyAsU3) {
  arrive(4, "d1", "e1", 0, 450 * ms, 200);
  add(mark_line{"failover", "n1", 350 * ms, 0, 0});
  good("U3", 1);
}

// Paused before its first byte, it sends what another node sent meanwhile.
TEST_F(Checker, I2CountsWhatAPausedNodeSendsWhenItGoesOnAsU2) {
  arrive(4, "d1", "e1", 0, 2'450 * ms, 200);
  change<arrival_line>([](auto& one) {
    if (one.number == 4)
      one.node = "n9";
    return true;
  });
  broken("I2");
  add(mark_line{"pause", "n9", 50 * ms, 2'400 * ms, 0});
  good("U2", 1);
}

TEST_F(Checker, I2FindsWhatANodeSendsLongAfterItsPause) {
  arrive(4, "d1", "e1", 0, 2'450 * ms, 200);
  change<arrival_line>([](auto& one) {
    if (one.number == 4)
      one.node = "n9";
    return true;
  });
  add(mark_line{"pause", "n9", 50 * ms, 1'000 * ms, 0});
  broken("I2");
}

TEST_F(Checker, I2CountsAKeptConnectionThatDiedAsStaleAndAFreshOneNot) {
  without_order();
  arrive(4, "d3", "e1", 0, 550 * ms, 0);
  add(decision_line{4, "reset", 0, 551 * ms});
  arrive(5, "d3", "e1", 0, 560 * ms, 200);
  store("d3", "e1", 0, 200);
  const auto connection = [this](int number) {
    change<arrival_line>([&](auto& one) {
      if (one.id == "d3")
        one.connection = one.number == 5 ? 2 : number;
      return true;
    });
  };
  connection(1);
  good("stale connection", 1);
  connection(3);
  broken("I2");
}

TEST_F(Checker, I2FindsATryAfterAStoredSuccess) {
  arrive(4, "d1", "e1", 1, 450 * ms, 200);
  store("d1", "e1", 1, 200);
  change<attempt_line>([](auto& one) {
    one.last = one.last && (one.id != "d1" || one.number == 1);
    return true;
  });
  broken("I2");
}

TEST_F(Checker, I2FindsATryAfterASuccessThatWasStoredAsAFailure) {
  change<decision_line>([](auto& one) {
    one.status = one.arrival == 2 ? 200 : one.status;
    return true;
  });
  change<attempt_line>([](auto& one) {
    if (one.id == "d2" && one.number == 0)
      one.status = 0;
    return true;
  });
  change<arrival_line>([](auto& one) {
    one.at += one.number == 3 ? 1'000 * ms : 0;
    return true;
  });
  broken("I2");
  const auto lost = [this](const std::string& error, std::int64_t ended) {
    change<attempt_line>([&](auto& one) {
      one.error = error;
      one.ended = ended;
      return true;
    });
  };
  lost("timeout_response", 1300 * ms); // long after the answer
  broken("I2");
  lost("timeout_response", 402 * ms);
  good("U4", 1);
  lost("connection_reset", 402 * ms);
  broken("I2");
  add(decision_line{2, "reset", 0, 402 * ms});
  good("U4", 1);
}

TEST_F(Checker, I2CountsWhatWasNotAnsweredAsU4) {
  change<decision_line>([](auto& one) { return one.arrival != 2; });
  change<attempt_line>([](auto& one) {
    if (one.id == "d2" && one.number == 0)
      one.status = 0;
    return true;
  });
  good("U4", 1);
}

TEST_F(Checker, I2CountsARequestThatWasReadAfterItsAttemptFromItsStart) {
  change<decision_line>([](auto& one) { return one.arrival != 2; });
  change<attempt_line>([](auto& one) {
    if (one.id == "d2" && one.number == 0)
      one.status = 0;
    return true;
  });
  change<arrival_line>([](auto& one) {
    one.at += one.number == 2 ? 900 * ms : 0;
    return true;
  });
  good("U4", 1);
}

TEST_F(Checker, I3FindsAnEventThatOvertakesOneAcceptedBefore) {
  change<arrival_line>([](auto& one) {
    one.at += one.number == 1 ? 150 * ms : 0;
    return true;
  });
  broken("I3");
}

TEST_F(Checker, I3LeavesAloneWhatWasSentAtTheSameTime) {
  change<call_line>([](auto& one) {
    one.at = 100 * ms;
    return true;
  });
  change<arrival_line>([](auto& one) {
    one.at += one.number == 1 ? 150 * ms : 0;
    return true;
  });
  good();
}

// The receiver read it when it was given up, after the one that followed.
TEST_F(Checker, I3CountsWhatWasGivenUpForItsTimeFromItsStart) {
  change<decision_line>([](auto& one) { return one.arrival != 1; });
  change<arrival_line>([](auto& one) {
    one.at += one.number == 1 ? 150 * ms : 0;
    return true;
  });
  change<attempt_line>([](auto& one) {
    if (one.id == "d1") {
      one.status = 0;
      one.outcome = "failed";
      one.last = false;
      one.ended = 390 * ms;
    }
    return true;
  });
  arrive(4, "d1", "e1", 1, 520 * ms, 200);
  store("d1", "e1", 1, 200);
  broken("I3");
  change<attempt_line>([](auto& one) {
    if (one.id == "d1" && one.number == 0)
      one.error = "timeout_response";
    return true;
  });
  good("U4", 1);
}

TEST_F(Checker, I3FindsTwoOfOneTransactionInTheWrongOrder) {
  change<call_line>([](auto& one) {
    one.at = 100 * ms;
    one.transaction = "t";
    return true;
  });
  change<arrival_line>([](auto& one) {
    one.at += one.number == 1 ? 150 * ms : 0;
    return true;
  });
  broken("I3");
}

TEST_F(Checker, I4FindsAnEventAtAnotherTenantsEndpoint) {
  change<endpoint_line>([](auto& one) {
    one.tenant = "other";
    return true;
  });
  broken("I4");
}

TEST_F(Checker, I5FindsAGaugeAboveItsBound) {
  add(sample_line{"rss kib", 100, 100});
  good();
  add(sample_line{"rss kib", 101, 100});
  broken("I5");
}

TEST_F(Checker, I6FindsARecoveryThatTookTooLongOrNeverCame) {
  add(mark_line{"kill", "n1", 250 * ms, 0, 60 * ms});
  good();
  add(mark_line{"kill", "n1", 250 * ms, 0, 40 * ms});
  broken("I6");
  lines_.pop_back();
  add(mark_line{"kill", "n1", 900 * ms, 0, 40 * ms});
  broken("I6");
}

TEST_F(Checker, I7FindsOtherBytesAndABadSignature) {
  change<arrival_line>([](auto& one) {
    one.sha256 += one.number == 1 ? "x" : "";
    return true;
  });
  broken("I7");
  SetUp();
  lines_.erase(lines_.begin(), lines_.begin() + std::ssize(lines_) / 2);
  change<arrival_line>([](auto& one) {
    one.signature = one.number != 1;
    return true;
  });
  broken("I7");
}

TEST_F(Checker, I8FindsAReachedTrap) {
  add(trap_line{"169.254.169.254"});
  broken("I8");
}

TEST_F(Checker, I9FindsARowThatWaitsForNothing) {
  add(open_line{"d3", "ep", "e3", "queued", 0, false});
  broken("I9");
}

TEST_F(Checker, I9FindsAnArrivalThatIsNotOnRecord) {
  without_order();
  arrive(4, "d3", "e1", 0, 450 * ms, 503);
  broken("I9");
  add(open_line{"d3", "ep", "e1", "retrying", 0, true});
  good();
}

TEST_F(Checker, I9FindsASuccessStoredTwice) {
  store("d1", "e1", 0, 200);
  broken("I9");
}

TEST_F(Checker, I9FindsAnOutcomeWrittenWithoutTheLease) {
  add(fence_line{1, "n2", 700 * ms});
  add(written_line{"d1", 0, 1, "n2", 1'500 * ms});
  good();
  add(written_line{"d2", 1, 1, "n1", 1'500 * ms});
  broken("I9");
}

TEST_F(Checker, I10FindsASuccessThatWasNotAnswered) {
  change<decision_line>([](auto& one) {
    one.status = one.arrival == 1 ? 503 : one.status;
    return true;
  });
  broken("I10");
  change<decision_line>([](auto& one) { return one.arrival != 1; });
  broken("I10");
}

TEST(LedgerLine, ThatIsNoneIsRefusedByWords) {
  EXPECT_THROW(parse_line("{"), std::invalid_argument);
  EXPECT_THROW(parse_line(R"({"what":"nothing"})"), std::invalid_argument);
  EXPECT_THROW(parse_line(R"({"what":"trap"})"), std::invalid_argument);
}

} // namespace
} // namespace postrider::testing
