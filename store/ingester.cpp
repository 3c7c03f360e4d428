#include "store/ingester.hpp"

#include "store/error.hpp"
#include "store/ingest_parameters.hpp"
#include "store/pg.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace postrider::store {

namespace {

constexpr pg::statement ingest_batch{"ingest",
                                     R"(select status, event, deliveries, made
       from postrider.ingest(
         $1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[],
         $6::bytea[], $7::text[], $8::jsonb[], $9::text[], $10::text[],
         $11::text[], $12::text[], $13::text[], $14::timestamptz[],
         $15::bool)
       order by ordinal)"};

// The same parameters, and the lighter function for a lone event.
constexpr pg::statement ingest_one{"ingest_one",
                                   R"(select status, event, deliveries, made
       from postrider.ingest_one(
         ($1::text[])[1], ($2::text[])[1], ($3::text[])[1], ($4::bytea[])[1],
         ($5::text[])[1], ($6::bytea[])[1], ($7::text[])[1], ($8::jsonb[])[1],
         ($9::text[])[1], ($10::text[])[1], ($11::text[])[1],
         ($12::text[])[1], ($13::text[])[1], ($14::timestamptz[])[1],
         $15::bool))"};

constexpr int made_column = 3;

ingest_result::status status_of(std::string_view word) {
  using status = ingest_result::status;
  constexpr std::pair<std::string_view, status> words[] = {
      {"accepted", status::accepted},
      {"duplicate", status::duplicate},
      {"key_conflict", status::key_conflict},
      {"unknown_tenant", status::unknown_tenant},
      {"not_one_receiver", status::not_one_receiver}};
  for (const auto& [name, value] : words)
    if (name == word)
      return value;
  throw error{error::kind::broken,
              fmt::format("postrider.ingest answered `{}`", word)};
}

/// What `ingest` tells of a delivery: the place of its event in the batch from
/// 1, its id, its endpoint or 0, its partition, its stream, milliseconds left.
constexpr std::size_t told_of_one = 6;

std::vector<fresh_delivery> made_of(std::span<const std::int64_t> told,
                                    std::span<const new_event> batch,
                                    std::span<const ingest_result> results) {
  std::vector<fresh_delivery> out;
  out.reserve(told.size() / told_of_one);
  for (; told.size() >= told_of_one; told = told.subspan(told_of_one)) {
    const auto event = static_cast<std::size_t>(told[0] - 1);
    fresh_delivery one;
    one.row.id = told[1];
    one.row.endpoint = told[2];
    one.row.partition = static_cast<std::uint16_t>(told[3]);
    one.row.stream = told[4];
    one.row.remaining = std::chrono::milliseconds{told[5]};
    one.row.event = results[event].id;
    one.row.size = static_cast<std::int32_t>(batch[event].payload.size());
    one.queued = one.row.endpoint != 0;
    out.push_back(one);
  }
  return out;
}

} // namespace

// What a repeat finds may have been committed while a synchronous standby was
// gone, by a commit that nobody was told of. This one waits for the standby,
// and with it for all that lies before it in the log.
constexpr pg::statement confirm{"confirm", R"(
select pg_logical_emit_message(true, 'postrider', '')
where current_setting('synchronous_standby_names') <> '')"};

class ingester::impl {
public:
  explicit impl(database where)
      : link_{std::move(where), {.application_name = "postrider ingest"}} {}

  ingested ingest(std::span<const new_event> batch, bool tell) {
    if (batch.empty())
      return {};
    const auto rows = link_.run(batch.size() == 1 ? ingest_one : ingest_batch,
                                ingest_parameters(batch).boolean(tell));
    if (rows.size() != static_cast<int>(batch.size()))
      throw error{error::kind::broken,
                  fmt::format("postrider.ingest answered {} of {} events",
                              rows.size(), batch.size())};
    ingested all;
    auto& out = all.results;
    out.resize(batch.size());
    for (int row = 0; row < rows.size(); ++row) {
      auto& result = out[static_cast<std::size_t>(row)];
      result.what = status_of(rows.bytes(row, 0));
      if (!rows.null(row, 1))
        result.id = rows.id(row, 1);
      result.deliveries = rows.int4(row, 2);
    }
    if (std::ranges::any_of(out, [](const auto& one) {
          return one.what == ingest_result::status::duplicate;
        }))
      link_.run(confirm, {});
    all.made = made_of(rows.int8s(0, made_column), batch, out);
    return all;
  }

  std::uint32_t timeline() const { return link_.timeline(); }

private:
  pg::connection link_;
};

ingester::ingester(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}
ingester::~ingester() = default;

std::vector<ingest_result> ingester::ingest(std::span<const new_event> batch) {
  return impl_->ingest(batch, false).results;
}

ingested ingester::ingest_and_tell(std::span<const new_event> batch) {
  return impl_->ingest(batch, true);
}

std::uint32_t ingester::timeline() const {
  return impl_->timeline();
}

} // namespace postrider::store
