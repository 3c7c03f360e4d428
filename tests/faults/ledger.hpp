#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// What a run leaves behind, one JSON object in a line. Times are microseconds
// of the machine's monotonic clock, except those of the database's own clock
// (`fence_line`, `written_line`). Ids are the public ones.

namespace postrider::testing {

/// An endpoint, before anything is sent to it.
struct endpoint_line {
  static constexpr const char* what = "endpoint";
  std::string id;
  std::string tenant;
  bool ordered = true;   ///< first attempts keep their order
  bool by_event = false; ///< one stream for each ordering key of an event
};

/// The producer, before a call. A repeat is another line with the same key.
struct call_line {
  static constexpr const char* what = "call";
  std::string key;
  std::string tenant;
  std::string sha256;      ///< of the payload, in hex
  std::string stream;      ///< its ordering key
  std::string transaction; ///< the same for what is committed together
  std::vector<std::string> endpoints; ///< those that want it now
  std::int64_t at = 0;
};

/// The producer, after it. Status 0: none came, nothing is known.
struct answer_line {
  static constexpr const char* what = "answer";
  std::string key;
  int status = 0;
  std::string event;
  std::int64_t at = 0;
};

/// The receiver, when a request was there to its last byte.
struct arrival_line {
  static constexpr const char* what = "arrival";
  std::int64_t number = 0; ///< of this arrival in its run
  std::string endpoint;
  std::string id; ///< `webhook-id`
  std::string event;
  int attempt = 0;
  std::int64_t sequence = 0;
  std::string sha256;
  bool signature = false; ///< verified by the receiver
  std::string node;       ///< as its user agent says
  std::int64_t connection = 0;
  std::int64_t at = 0;
};

/// The receiver, after it has answered or ended the connection.
struct decision_line {
  static constexpr const char* what = "decision";
  std::int64_t arrival = 0;
  std::string did; ///< `status` (a complete status line), `part`, `close`,
                   ///< `reset`
  int status = 0;
  std::int64_t at = 0;
};

/// Something was done to a process: `kill`, `crash`, `cut` (stopped with work
/// in flight), `pause`, `database`.
struct mark_line {
  static constexpr const char* what = "mark";
  std::string did;
  std::string node;
  std::int64_t at = 0;
  std::int64_t until = 0;  ///< end of a pause
  std::int64_t within = 0; ///< 0, or the time to the next arrival at most
};

/// A gauge and what it must not exceed.
struct sample_line {
  static constexpr const char* what = "sample";
  std::string name;
  std::int64_t value = 0;
  std::int64_t bound = 0;
};

/// Something reached an address that must never be reached.
struct trap_line {
  static constexpr const char* what = "trap";
  std::string address;
};

/// From the database, after the run.
struct event_line {
  static constexpr const char* what = "event";
  std::string id;
  std::string tenant;
  std::string key;
  std::string sha256;
};

struct open_line {
  static constexpr const char* what = "open";
  std::string id;
  std::string endpoint;
  std::string event;
  std::string state;
  int attempts = 0;
  bool due = false;
};

struct attempt_line {
  static constexpr const char* what = "attempt";
  std::string id; ///< of the delivery
  std::string endpoint;
  std::string event;
  int number = 0;
  int status = 0; ///< 0: none
  bool sent = true;
  bool last = false; ///< the final one
  std::string outcome;
  std::string error;
  std::int64_t started = 0;
  std::int64_t ended = 0; ///< when the engine was done with it
};

/// Who holds a partition from then on; nobody: an empty node.
struct fence_line {
  static constexpr const char* what = "fence";
  int partition = 0;
  std::string node;
  std::int64_t at = 0;
};

/// When which node wrote an attempt.
struct written_line {
  static constexpr const char* what = "written";
  std::string id;
  int number = 0;
  int partition = 0;
  std::string node;
  std::int64_t at = 0;
};

using ledger_line =
    std::variant<endpoint_line, call_line, answer_line, arrival_line,
                 decision_line, mark_line, sample_line, trap_line, event_line,
                 open_line, attempt_line, fence_line, written_line>;

/// One line of JSON without the line end.
std::string format_line(const ledger_line& line);
/// Throws std::invalid_argument that says what is wrong with the text.
ledger_line parse_line(std::string_view text);

/// Now, in the ledger's time.
std::int64_t ledger_now();

} // namespace postrider::testing
