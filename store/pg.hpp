#pragma once

#include "core/uuid.hpp"
#include "store/database.hpp"
#include "store/link.hpp"
#include "store/pg_params.hpp"

#include <cstdint>
#include <libpq-fe.h>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::store::pg {

/// The rows of one answer, in binary form. Views live as long as it does.
/// Columns are counted from 0; reading a column as another type than its own
/// is a defect and asserted by length.
class rows {
public:
  explicit rows(PGresult* result) : result_{result, &PQclear} {}

  /// Whether the statement succeeded.
  bool good() const noexcept;
  const PGresult* raw() const noexcept { return result_.get(); }

  int size() const noexcept { return PQntuples(result_.get()); }
  bool null(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) == 1;
  }

  std::int16_t int2(int row, int column) const;
  std::int32_t int4(int row, int column) const;
  std::int64_t int8(int row, int column) const;
  double float8(int row, int column) const;
  bool boolean(int row, int column) const;
  uuid id(int row, int column) const;
  /// Of `text` and `bytea`; empty for null.
  std::string_view bytes(int row, int column) const;
  /// Of `timestamptz`: microseconds since 1970; the highest number there is
  /// for 'infinity'.
  std::int64_t micros(int row, int column) const;
  /// Of `int8[]`, of any dimensions, without nulls: its elements in order;
  /// none for null.
  std::vector<std::int64_t> int8s(int row, int column) const;

private:
  const char* fixed(int row, int column, int length) const;

  std::unique_ptr<PGresult, void (*)(PGresult*)> result_;
};

/// A statement that is prepared at its first use in a connection. `name` is
/// unique within the connection; parameter types are given by casts in `sql`.
struct statement {
  const char* name;
  const char* sql;
};

/// One connection for the hot path: connects when first used, and again after
/// a failure that leaves no sound connection. Every wait is bounded, also when
/// the server stops answering. Throws `store::error`; not thread-safe.
class connection {
public:
  struct options {
    /// Shown in `pg_stat_activity`.
    std::string application_name = "postrider";
    /// Run once in each new connection.
    std::vector<std::string> settings{};
  };

  connection(database where, options what);

  /// Runs a prepared statement in a transaction of its own. What a deadlock or
  /// a serialization failure has rolled back is run again, a few times. A
  /// commit that the server could not bring to its synchronous standby is not
  /// told as done: it throws, as one whose answer was lost.
  rows run(const statement& what, const params& given);
  /// How often it was opened so far.
  std::uint64_t opened() const noexcept { return opened_; }
  /// Of the server that it is connected to (`known_server`).
  std::uint32_t timeline() const noexcept { return link_.timeline; }

private:
  rows run_once(const statement& what, const params& given);
  void connect();
  void prepare(const statement& what);
  rows wait();
  [[noreturn]] void fail(const PGresult* result);

  database where_;
  options options_;
  link link_;
  std::set<std::string, std::less<>> prepared_;
  std::uint64_t opened_ = 0;
};

} // namespace postrider::store::pg
