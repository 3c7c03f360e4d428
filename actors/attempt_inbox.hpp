#pragma once

#include "actors/protocol.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace postrider::actors {

/// The results of attempts on their way to the driver of a partition. It
/// outlives that driver: what comes while there is none waits for its successor
/// (G6). Callable from any thread.
class attempt_inbox {
public:
  struct entry {
    std::int64_t job = 0;
    attempt_result what;
  };

  /// Keeps a result. Returns whom to send `finished`: nobody while that is on
  /// its way or there is no driver.
  std::optional<partition_actor> put(std::int64_t job, attempt_result what);
  /// The same, and sends it.
  void deliver(std::int64_t job, attempt_result what);

  /// All there are; whatever comes next is told again.
  std::deque<entry> take();
  /// Could not be dealt with: stands before all others again.
  void put_back(std::deque<entry> some);

  /// Who is told from now on. What is there already is its to take.
  void belongs_to(const partition_actor& driver);

private:
  std::mutex mutex_;
  std::deque<entry> waiting_;
  std::optional<partition_actor> driver_;
  bool told_ = false;
};

/// The duty to answer one attempt. Whoever lets it go without an answer has
/// sent nothing: the driver hears of it as of an attempt that was called off,
/// and begins it again. Not to be copied; callable from any thread.
class attempt_ticket {
public:
  attempt_ticket(std::shared_ptr<attempt_inbox> to, std::int64_t job);
  ~attempt_ticket();
  attempt_ticket(const attempt_ticket&) = delete;
  attempt_ticket& operator=(const attempt_ticket&) = delete;

  /// As `attempt_inbox::put`.
  std::optional<partition_actor> answer(attempt_result what);
  /// As `attempt_inbox::deliver`.
  void deliver(attempt_result what);

private:
  std::shared_ptr<attempt_inbox> to_;
  std::int64_t job_;
  bool answered_ = false;
};

} // namespace postrider::actors
