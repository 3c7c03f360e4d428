#include "bench/samples.hpp"
#include "store/reader_impl.hpp"

#include <benchmark/benchmark.h>
#include <libpq-fe.h>

#include <string>
#include <vector>

namespace postrider::store {
namespace {

std::string encoded(std::int64_t value, int size) {
  std::string out;
  for (int shift = size * 8 - 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift & 0xff));
  return out;
}

/// An answer of the database with so many rows of `delivery` that are queued.
pg::rows answer(int many) {
  auto* out = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
  std::vector<std::string> names(11, "column");
  std::vector<PGresAttDesc> columns(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    columns[i] = {names[i].data(), 0, 0, 1, 0, -1, -1};
  PQsetResultAttrs(out, static_cast<int>(columns.size()), columns.data());
  for (int row = 0; row < many; ++row) {
    const auto of = bench::row(row + 1);
    const std::string values[] = {
        encoded(of.id, 8),
        encoded(of.partition, 2),
        encoded(of.endpoint, 8),
        std::string{of.event.bytes.begin(), of.event.bytes.end()},
        encoded(of.stream, 8),
        encoded(of.attempts, 2),
        "",
        encoded(of.size, 4),
        encoded(345'600'000'000, 8),
        "",
        encoded(0, 8)};
    int column = 0;
    for (auto value : values) {
      const bool null = value.empty();
      PQsetvalue(out, row, column++, null ? nullptr : value.data(),
                 null ? -1 : static_cast<int>(value.size()));
    }
  }
  return pg::rows{out};
}

/// Rows of an answer on their way to the window.
void read_rows(benchmark::State& state) {
  const auto from = answer(static_cast<int>(state.range(0)));
  for (auto step : state)
    for (int row = 0; row < from.size(); ++row)
      benchmark::DoNotOptimize(read_delivery(from, row));
  state.SetItemsProcessed(state.iterations() * from.size());
}
BENCHMARK(read_rows)->Arg(500);

} // namespace
} // namespace postrider::store
