#pragma once

#include "tests/faults/ledger.hpp"

#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace postrider::testing {

/// All calls of one key, and what is known of them.
struct production {
  call_line first;
  std::string event;         ///< as it was answered; empty: never
  std::int64_t accepted = 0; ///< when the first good answer came; 0: never
};

/// An arrival and what the receiver did about it.
struct reception {
  arrival_line arrival;
  std::vector<decision_line> decisions;
  bool first_on_connection = true;

  /// The complete status line that was sent last; null: none.
  const decision_line* status() const;
  /// Not one byte of an answer was sent.
  bool silent() const;
};

/// The ledgers of a run, put together.
class history {
public:
  void add(const ledger_line& line);
  /// Throws std::invalid_argument with the number of a line that is none.
  void read(std::istream& in);
  /// Once, after the last line: sorts by time.
  void finish();

  /// The production that an event came from; null when none is known.
  const production* source(const std::string& event) const;
  const attempt_line* attempt(const std::string& id, int number) const;
  /// The arrivals of each delivery, in the order of their times.
  const std::map<std::string, std::vector<reception>>& receptions() const {
    return receptions_;
  }

  std::map<std::string, endpoint_line> endpoints;
  std::map<std::string, production> productions; ///< by key
  std::vector<mark_line> marks;
  std::vector<sample_line> samples;
  std::vector<trap_line> traps;
  std::vector<event_line> events;
  std::vector<open_line> open;
  std::vector<attempt_line> attempts;
  std::vector<fence_line> fences;
  std::vector<written_line> written;

private:
  void count_late_ones_from_their_start();
  void note(const endpoint_line& line);
  void note(const call_line& line);
  void note(const answer_line& line);
  void note(const arrival_line& line);
  void note(const decision_line& line);
  void note(const mark_line& line) { marks.push_back(line); }
  void note(const sample_line& line) { samples.push_back(line); }
  void note(const trap_line& line) { traps.push_back(line); }
  void note(const event_line& line) { events.push_back(line); }
  void note(const open_line& line) { open.push_back(line); }
  void note(const attempt_line& line) { attempts.push_back(line); }
  void note(const fence_line& line) { fences.push_back(line); }
  void note(const written_line& line) { written.push_back(line); }

  std::vector<arrival_line> arrivals_;
  std::vector<decision_line> decisions_;
  std::map<std::string, std::vector<reception>> receptions_;
  std::map<std::string, std::string> key_of_event_;
  std::map<std::pair<std::string, int>, const attempt_line*> by_number_;
};

} // namespace postrider::testing
