#include "store/reader.hpp"

#include "store/error.hpp"
#include "store/reader_impl.hpp"
#include "store/reader_statements.hpp"
#include "store/snapshot.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace postrider::store {

namespace {

constexpr int id_column = 0;
constexpr int now_column = 10;
// Behind the columns of a delivery in `statements::read`.
constexpr int allocated_column = 11;
constexpr int snapshot_column = 12;
constexpr int next_column = 13;

constexpr auto infinity = std::numeric_limits<std::int64_t>::max();

std::vector<delivery> all_of(const pg::rows& from) {
  std::vector<delivery> out;
  out.reserve(static_cast<std::size_t>(from.size()));
  for (int row = 0; row < from.size(); ++row) {
    if (!from.null(row, id_column))
      out.push_back(read_delivery(from, row));
  }
  return out;
}

} // namespace

pg::array array_of(std::span<const std::int64_t> values) {
  pg::array out{pg::type::int8};
  for (const auto value : values)
    out.int8(value);
  return out;
}

pg::array array_of(std::span<const std::uint16_t> partitions) {
  pg::array out{pg::type::int2};
  for (const auto partition : partitions)
    out.int2(static_cast<std::int16_t>(partition));
  return out;
}

delivery read_delivery(const pg::rows& from, int row) {
  delivery out;
  out.id = from.int8(row, 0);
  out.partition = static_cast<std::uint16_t>(from.int2(row, 1));
  out.endpoint = from.int8(row, 2);
  out.event = from.id(row, 3);
  out.stream = from.int8(row, 4);
  out.attempts = from.int2(row, 5);
  if (!from.null(row, 6))
    out.max_attempts = from.int2(row, 6);
  out.size = from.int4(row, 7);
  const auto now = from.micros(row, 10);
  out.remaining = std::chrono::milliseconds{(from.micros(row, 8) - now) / 1000};
  if (from.null(row, 9))
    return out;
  const auto due = from.micros(row, 9);
  out.held = due == infinity;
  if (!out.held)
    out.due = due;
  return out;
}

reader::impl::impl(database where)
    : link{std::move(where),
           {.application_name = "postrider reader",
            .settings = statements::reader_settings()}} {}

reader::reader(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}

reader::~reader() = default;

void reader::impl::expect_the_same() {
  if (opened == 0)
    opened = link.opened();
  if (opened != link.opened())
    throw error{error::kind::transient, "the connection is a new one"};
}

new_rows reader::impl::peek() {
  const auto found = link.run(statements::peek, {});
  new_rows out;
  out.allocated = found.int8(0, 0);
  out.seen = parse_snapshot(found.bytes(0, 1));
  set_next(out.seen, found.int4(0, 2));
  return out;
}

new_rows reader::peek() {
  auto out = impl_->peek();
  impl_->expect_the_same();
  return out;
}

std::int64_t reader::start_of(std::span<const std::uint16_t> partitions) {
  // Read first: what is given out afterwards is above it, seen or not.
  const auto allocated = impl_->peek().allocated;
  impl_->opened = impl_->link.opened();
  auto where = array_of(partitions);
  const auto found =
      impl_->link.run(statements::start_of, pg::params{}.add(where));
  impl_->expect_the_same();
  return found.null(0, 0) ? allocated : std::min(allocated, found.int8(0, 0));
}

new_rows reader::read(std::span<const std::uint16_t> partitions,
                      std::int64_t after, std::int64_t upto,
                      std::span<const std::int64_t> skip, int limit) {
  auto where = array_of(partitions);
  auto without = array_of(skip);
  const auto found = impl_->link.run(
      statements::read,
      pg::params{}.add(where).int8(after).int8(upto).add(without).int4(limit));
  impl_->expect_the_same();
  new_rows out;
  out.rows = all_of(found);
  for (int row = 0; row < found.size(); ++row) {
    if (!found.null(row, id_column))
      continue;
    out.allocated = found.int8(row, allocated_column);
    out.seen = parse_snapshot(found.bytes(row, snapshot_column));
    set_next(out.seen, found.int4(row, next_column));
    break;
  }
  return out;
}

std::vector<delivery> reader::read_lagging(std::span<const lagging> wanted,
                                           std::int64_t upto) {
  pg::array partitions{pg::type::int2};
  pg::array endpoints{pg::type::int8};
  pg::array after{pg::type::int8};
  pg::array room{pg::type::int4};
  pg::array held{pg::type::boolean};
  for (const auto& share : wanted) {
    partitions.int2(static_cast<std::int16_t>(share.partition));
    endpoints.int8(share.endpoint);
    after.int8(share.after);
    room.int4(share.room);
    held.boolean(share.held);
  }
  const auto found =
      impl_->link.run(statements::read_lagging, pg::params{}
                                                    .add(partitions)
                                                    .add(endpoints)
                                                    .add(after)
                                                    .add(room)
                                                    .int8(upto)
                                                    .add(held));
  impl_->expect_the_same();
  return all_of(found);
}

std::vector<health_notice>
reader::health_due(std::span<const std::uint16_t> partitions, int limit) {
  auto where = array_of(partitions);
  const auto found = impl_->link.run(statements::health_due,
                                     pg::params{}.add(where).int4(limit));
  std::vector<health_notice> out;
  for (int row = 0; row < found.size(); ++row)
    out.push_back({found.int8(row, 0),
                   static_cast<std::uint16_t>(found.int2(row, 1)),
                   found.boolean(row, 2)});
  return out;
}

due_rows reader::read_due(std::span<const std::uint16_t> partitions,
                          std::int64_t after,
                          std::span<const std::int64_t> skip, int limit) {
  auto where = array_of(partitions);
  auto without = array_of(skip);
  const auto found = impl_->link.run(
      statements::read_due,
      pg::params{}.add(where).micros(after).add(without).int4(limit));
  due_rows out;
  out.now = found.micros(0, now_column);
  out.rows = all_of(found);
  out.upto = std::ssize(out.rows) < limit || out.rows.empty()
                 ? out.now
                 : out.rows.back().due;
  return out;
}

std::vector<delivery> reader::sweep(std::uint16_t partition, std::int64_t after,
                                    int limit) {
  const auto found = impl_->link.run(
      statements::sweep, pg::params{}
                             .int2(static_cast<std::int16_t>(partition))
                             .int8(after)
                             .int4(limit));
  impl_->expect_the_same();
  return all_of(found);
}

void reader::use_secret_key(std::string key) {
  impl_->box = secret_box::make(key);
  if (!impl_->box)
    throw error{error::kind::broken,
                "the key that seals secrets has to be 32 bytes long"};
}

} // namespace postrider::store
