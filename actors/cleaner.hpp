#pragma once

#include "actors/stores.hpp"
#include "store/retention.hpp"

#include <chrono>
#include <deque>
#include <optional>

namespace postrider::actors {

/// The janitor's work on what is past its time: one small step after the
/// other, so that it ends soon whenever it is asked to. Throws `store::error`.
class cleaner {
public:
  explicit cleaner(const store_options& options);

  /// Does one step; tells when the next one should be done.
  std::chrono::milliseconds step();

private:
  struct task {
    bool events = false;
    day which;
  };

  std::chrono::milliseconds look();
  std::chrono::milliseconds drop(const task& what);
  std::chrono::milliseconds drop_keys();
  void tell(const store::retention::stock& found);
  upkeep_meters& meters() { return counters_->meters.upkeep; }
  std::chrono::milliseconds soon() const;

  retention_rules rules_;
  log_sink log_;
  counters_ptr counters_;
  store::retention store_;
  std::optional<day> letters_from_;
  std::deque<task> tasks_;
  bool keys_left_ = false;
  bool busy_ = false; ///< something was, since the last look
};

} // namespace postrider::actors
