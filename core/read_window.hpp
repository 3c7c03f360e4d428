#pragma once

#include "core/handover.hpp"
#include "core/late_watch.hpp"
#include "core/model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace postrider {

struct read_limits {
  std::size_t rows = 4'000;       ///< read and not yet settled, in all
  std::size_t bytes = 64 << 20;   ///< of their payloads
  std::size_t per_endpoint = 128; ///< share of one endpoint, at most
};

/// A range of ids to be read: `after < id <= upto`, the lowest `limit`.
struct read_range {
  std::int64_t after = 0;
  std::int64_t upto = 0;
  int limit = 0;
};

/// An endpoint whose rows are read by the second index, from `after` on.
struct read_share {
  std::uint16_t partition = 0;
  std::int64_t endpoint = 0;
  std::int64_t after = 0;
  int limit = 0;
  bool held = false;      ///< those that are held too
  bool trial = false;     ///< its oldest alone, whatever it is
  std::uint64_t gate = 0; ///< under which it is asked for
};

/// How the rows of an endpoint are to be read, by the word of its breaker.
enum class read_gate : std::uint8_t {
  /// Not at all, until another word.
  park,
  /// What is held stays so. The rows that leave the window are held by a
  /// statement of their own; what is queued later comes, to be held.
  hold,
  /// As `hold`, and its oldest delivery once: the trial.
  trial,
  /// From its oldest on, with what is held, in the order of ids.
  reopen,
};

/// What a node has read and not yet settled, and where it reads on: one
/// key-set cursor for all its partitions, never from the head of the index.
///
/// An endpoint that has filled its share is left out of the ordinary read and
/// read by itself once it has room again, so that one backlog hides nobody
/// (DESIGN 4.2). The share shrinks when more than half of the window is taken,
/// so that many endpoints that never finish can't fill it together (G9). Rows
/// that appear behind the cursor are told by `late_watch` (DESIGN 4.3).
/// Whatever is offered twice is taken once.
class read_window {
public:
  explicit read_window(read_limits limits) : limits_{limits} {}

  /// Other limits from now on; what is in the window stays.
  void limit(read_limits limits);

  /// Starts again from `cursor`, keeping what is in the window. Used when
  /// partitions are gained.
  void restart(std::int64_t cursor);
  /// As `restart`, at a database that may have forgotten which ids and which
  /// transactions it had given out: after a crash those that nobody committed
  /// under are given out once more.
  void start_anew(std::int64_t cursor);
  /// Forgets the rows of a partition that is no longer driven.
  void drop(std::uint16_t partition);

  /// Takes note of what a statement saw; `allocated` is the highest id that
  /// was ever drawn. To be called before its rows are offered.
  void saw(const transactions& now, std::int64_t allocated);

  /// The next ordinary range; nothing when all is read or there is no room, and
  /// while all that is left was asked for and not to be seen (`look_again`).
  std::optional<read_range> next() const;
  /// What is drawn last is committed last: the ids above the last row that was
  /// seen are asked for again, a few times, before they are left to
  /// `late_watch`. Time has passed since they were asked for.
  void look_again() noexcept { unseen_ = 0; }
  /// What is drawn so far will be handed over in a moment.
  void leave_for_now() noexcept { unseen_ = allocated_; }
  /// Takes what it can of the rows of that range, which moves the cursor.
  std::vector<delivery> take(const read_range& asked,
                             std::span<const delivery> rows);

  /// Takes what was just committed and follows the cursor without a gap, from a
  /// queue of it, as far as there is room: as if it had been read (DESIGN 4.8).
  /// Nothing while a row that nobody has seen may stand before it, and nothing
  /// of what was drawn before the last start: another may have finished it. Not
  /// while a question is on its way.
  std::vector<delivery> take_handed(handover& from);

  /// A range behind the cursor that may hold late rows now, and its rows.
  std::optional<read_range> next_late();
  std::vector<delivery> take_late(const read_range& asked,
                                  std::span<const delivery> rows);

  /// Endpoints to be left out of the ordinary read.
  const std::vector<std::int64_t>& skipped() const noexcept { return skipped_; }
  /// Those of them that have room again, up to the cursor; and their rows.
  std::vector<read_share> next_shares() const;
  std::vector<delivery> take_shares(std::span<const read_share> asked,
                                    std::span<const delivery> rows);

  /// Sets how an endpoint is read from now on. `given_back` are those of its
  /// deliveries that are neither in flight nor being settled: they leave the
  /// window and are read again when their turn comes.
  void set_gate(std::uint16_t partition, std::int64_t endpoint, read_gate how,
                std::span<const std::int64_t> given_back);
  /// Endpoints of which all that `set_gate` asked for was read: a trial that
  /// found nothing; a reopened one that has caught up with the cursor and
  /// whose held rows, those that are being committed too, have all been read
  /// and have left the window.
  struct done_gate {
    std::uint16_t partition = 0;
    std::int64_t endpoint = 0;
  };
  std::vector<done_gate> gates_done();

  /// All endpoints of one group, a tenant, share three quarters of the window;
  /// those that are assigned to none have no such bound. The answer is how many
  /// of its rows the endpoint may keep: what was taken before its group was
  /// known may be more than its share, and is then to be given back.
  std::size_t assign(std::int64_t endpoint, std::uint64_t group);

  /// Of rows that were taken and not handed on yet those that may go, by id.
  /// The rows of one transaction become visible together, in part behind the
  /// cursor: first `next_late` is to be followed as long as it has a range.
  /// What may still have something of its own transaction below it leaves the
  /// window and is read again (G3).
  std::vector<delivery> in_order(std::vector<delivery> rows);

  /// Due retries, in due order. Reading starts after `due_after()`.
  std::int64_t due_after() const noexcept {
    return std::min(due_after_, due_again_);
  }
  /// Endpoints whose due rows there is no room for.
  std::vector<std::int64_t> due_skipped() const;
  /// `upto` is how far was read, `now` the database's clock: the same when all
  /// that is due was read.
  std::vector<delivery> take_due(std::span<const delivery> rows,
                                 std::int64_t upto, std::int64_t now);

  /// Rows found by the slow full sweep; counts those that no other read had.
  std::vector<delivery> take_swept(std::span<const delivery> rows);

  /// A question is on its way: what leaves the window from now on may still
  /// stand in the answer, which is older, and is then no late row.
  void asking() {
    departed_.clear();
    quiet_ = std::min(quiet_ + 1, 1'000);
    due_after_ = due_after();
    due_again_ = std::numeric_limits<std::int64_t>::max();
    if (reopened_ > 0)
      for (auto& [endpoint, of] : lagging_)
        of.asked = true;
  }
  bool contains(std::int64_t id) const { return rows_.contains(id); }

  /// A delivery was settled, or nobody drives it any more.
  void leave(std::int64_t id);
  /// A taken row could not be handed on: it will be read again.
  void give_back(const delivery& row);
  /// What has been here since the call before, by partition: whoever was given
  /// it may never have heard of it, or may have settled it unheard.
  std::map<std::uint16_t, std::vector<std::int64_t>> lingering();
  /// Nobody has it: it is read again. Only for what was `lingering`.
  void disowned(std::int64_t id);
  /// A range from `next_late` could not be read.
  void put_back(const read_range& range) { late_.put_back(range.after); }

  int room() const;
  /// So many rows have to be asked for by a read that sees again what is in
  /// the window.
  int room_and_known() const {
    return room() == 0 ? 0 : room() + static_cast<int>(rows_.size());
  }
  std::int64_t cursor() const noexcept { return cursor_; }
  std::int64_t allocated() const noexcept { return allocated_; }
  std::size_t size() const noexcept { return rows_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t watched() const noexcept { return late_.watched(); }
  /// A transaction that may still run may have written at or below the cursor.
  bool may_be_late() const noexcept {
    return !seen_ || late_.running_from() < gap_;
  }
  /// Rows that were found behind the cursor since the start.
  std::uint64_t late_found() const noexcept { return late_found_; }

private:
  struct held {
    std::int64_t endpoint = 0;
    std::int64_t due = 0;
    std::uint16_t partition = 0;
    std::int32_t size = 0;
    bool seen = false;      ///< by `lingering`
    bool lingering = false; ///< was told as such
  };
  struct total {
    std::size_t rows = 0;
    std::size_t bytes = 0;
    std::size_t left = 0; ///< rows that have left since the first came
  };
  struct lag {
    std::uint16_t partition = 0;
    std::int64_t after = 0;
    bool parked = false;
    bool held = false; ///< reopened: held rows are read too
    /// Reopened: every transaction that may have held a row for it is below
    /// this id; 0 while that is not known.
    std::uint64_t settled = 0;
    /// Reopened: what the window had of it then. It may have been held since,
    /// so each is read once more when it leaves.
    std::unordered_set<std::int64_t> before{};
    /// Reopened: what was read of it that is held on record. Until it has left
    /// the window another holder would have to look for it.
    std::unordered_set<std::int64_t> releasing{};
    /// Reopened: a question was asked since, so that its snapshot is newer.
    bool asked = false;
    /// Reopened: none of theirs is above this, once that is known.
    std::optional<std::int64_t> last{};
    std::uint64_t gate = 0; ///< answers under another one are not its own
    /// None of its rows above this is in the window, as far as that is known.
    std::int64_t reached = std::numeric_limits<std::int64_t>::max();
    /// How many were read of it, counted from what the one with the fewest had
    /// when it began: those with fewer come first.
    std::uint64_t given = 0;
  };

  std::vector<const std::pair<const std::int64_t, lag>*> next_lagging() const;
  void note_given(std::span<const read_share> asked);
  bool is_known(std::int64_t id) const;
  bool has_room(const delivery& row) const;
  bool fills_share(std::int64_t endpoint) const;
  bool has_half_share(std::int64_t endpoint) const;
  std::size_t share(std::size_t coming) const;
  std::size_t share_of(std::int64_t endpoint, const total& has,
                       std::size_t coming = 0) const;
  int wanted(std::int64_t endpoint, std::size_t coming, int most) const;
  std::size_t byte_share() const;
  total held_by(std::int64_t endpoint) const;
  void release(const held& row);
  void hold(const delivery& row);
  void fall_behind(const delivery& row);
  bool take_one(const delivery& row, std::vector<delivery>& out);
  void note_arrival(std::span<const delivery> rows);
  void move_cursor(std::int64_t from, std::int64_t to,
                   std::span<const delivery> seen);
  void look_back(std::int64_t from);
  void refresh_skipped();
  void learn_settled();
  std::size_t group_share(std::int64_t endpoint, std::size_t coming = 0) const;

  read_limits limits_;
  std::int64_t cursor_ = 0;
  std::int64_t unseen_ = 0; ///< the last read went up to there, and saw less
  int looks_ = 0;           ///< how often that was so from the same cursor
  /// Of each id above it, up to the cursor, a row was seen.
  std::int64_t gap_ = 0;
  std::int64_t allocated_ = 0;
  std::optional<std::int64_t> drawn_; ///< was drawn before the last start
  std::int64_t step_ = 1'024;
  std::int64_t highest_ = 0; ///< of all rows that were ever here
  late_watch late_;
  bool seen_ = false;
  std::unordered_map<std::int64_t, held> rows_;
  std::unordered_set<std::int64_t> departed_;
  std::unordered_map<std::int64_t, total> totals_;
  std::map<std::int64_t, lag> lagging_;
  std::map<std::int64_t, std::uint16_t> trials_; ///< asked for, not read yet
  std::vector<done_gate> empty_trials_;
  std::size_t reopened_ = 0; ///< of `lagging_`
  std::uint64_t gates_ = 0;  ///< that were set so far
  std::unordered_map<std::int64_t, std::uint64_t> groups_;
  std::unordered_map<std::uint64_t, std::size_t> group_rows_;
  std::int64_t share_turn_ = 0; ///< the endpoint that was read by itself last
  std::uint64_t fewest_given_ = 0; ///< of those that were asked for last
  std::vector<std::int64_t> skipped_;
  std::int64_t due_after_ = 0;
  /// What was freed since the last question has to be read again from there,
  /// whatever the answer says.
  std::int64_t due_again_ = std::numeric_limits<std::int64_t>::max();
  std::map<std::int64_t, lag> due_lagging_; ///< `after` is a due time
  std::size_t bytes_ = 0;
  std::uint64_t late_found_ = 0;
  int quiet_ = 0; ///< questions since something came for an idle endpoint
};

} // namespace postrider
