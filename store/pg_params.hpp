#pragma once

#include "core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::store::pg {

/// Element types of array parameters; the values are PostgreSQL's own.
enum class type : std::uint32_t {
  boolean = 16,
  bytea = 17,
  int8 = 20,
  int2 = 21,
  int4 = 23,
  text = 25,
  timestamptz = 1184,
  uuid = 2950,
  jsonb = 3802,
};

/// A one-dimensional array in binary form, built element by element. What is
/// added has to fit the type: `int8` elements of an `int8` array, and so on.
class array {
public:
  explicit array(type element);

  /// Room for so many values of so many bytes together, so that a large array
  /// is not copied while it grows.
  void reserve(std::size_t values, std::size_t bytes);

  array& int2(std::int16_t value);
  array& int4(std::int32_t value);
  array& int8(std::int64_t value);
  array& boolean(bool value);
  array& id(const uuid& value);
  /// Of `text` and `bytea` arrays.
  array& bytes(std::string_view value);
  /// JSON text, of `jsonb` arrays.
  array& json(std::string_view value);
  /// Microseconds since 1970.
  array& micros(std::int64_t value);
  array& null();

  std::int32_t size() const noexcept { return size_; }
  /// The whole value. The array may go on growing afterwards.
  std::string_view finish();

private:
  friend class params;

  template <class Int>
  array& integer(Int value);

  std::string out_;
  std::int32_t size_ = 0;
  bool nulls_ = false;
};

/// The parameters of one call, in order, all in binary form.
class params {
public:
  params& int2(std::int16_t value);
  params& int4(std::int32_t value);
  params& int8(std::int64_t value);
  params& boolean(bool value);
  params& id(const uuid& value);
  params& bytes(std::string_view value); ///< `text` or `bytea`
  params& micros(std::int64_t value);    ///< `timestamptz`, since 1970
  params& null();
  params& add(array& value);
  params& add(array&& value); ///< without a copy

  std::vector<const char*> values() const;
  std::vector<int> lengths() const;
  int size() const noexcept { return static_cast<int>(values_.size()); }

private:
  std::vector<std::optional<std::string>> values_;
};

/// PostgreSQL counts microseconds from 2000.
inline constexpr std::int64_t epoch_offset = 946'684'800'000'000;

} // namespace postrider::store::pg
