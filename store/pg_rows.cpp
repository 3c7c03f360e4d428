#include "store/pg.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <type_traits>

namespace postrider::store::pg {

namespace {

template <class Int>
Int decoded(const char* bytes) {
  std::make_unsigned_t<Int> value = 0;
  for (std::size_t i = 0; i < sizeof(Int); ++i)
    value = static_cast<decltype(value)>(
        value << 8 | static_cast<unsigned char>(bytes[i]));
  return static_cast<Int>(value);
}

} // namespace

bool rows::good() const noexcept {
  const auto status = PQresultStatus(result_.get());
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

const char* rows::fixed(int row, int column, int length) const {
  assert(PQgetlength(result_.get(), row, column) == length);
  return PQgetvalue(result_.get(), row, column);
}

std::int16_t rows::int2(int row, int column) const {
  return decoded<std::int16_t>(fixed(row, column, 2));
}

std::int32_t rows::int4(int row, int column) const {
  return decoded<std::int32_t>(fixed(row, column, 4));
}

std::int64_t rows::int8(int row, int column) const {
  return decoded<std::int64_t>(fixed(row, column, 8));
}

double rows::float8(int row, int column) const {
  return std::bit_cast<double>(int8(row, column));
}

bool rows::boolean(int row, int column) const {
  return *fixed(row, column, 1) != 0;
}

uuid rows::id(int row, int column) const {
  uuid out;
  const char* bytes = fixed(row, column, 16);
  std::copy(bytes, bytes + 16, out.bytes.begin());
  return out;
}

std::string_view rows::bytes(int row, int column) const {
  const int length = PQgetlength(result_.get(), row, column);
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(length)};
}

std::int64_t rows::micros(int row, int column) const {
  const auto since_2000 = int8(row, column);
  constexpr auto infinity = std::numeric_limits<std::int64_t>::max();
  return since_2000 == infinity ? infinity : since_2000 + epoch_offset;
}

std::vector<std::int64_t> rows::int8s(int row, int column) const {
  // Dimensions, a flag and the element's type; size and lower bound of each
  // dimension; then each element behind its length.
  const auto all = bytes(row, column);
  std::vector<std::int64_t> out;
  if (all.size() < 12)
    return out;
  auto at =
      12 + 8 * static_cast<std::size_t>(decoded<std::int32_t>(all.data()));
  out.reserve(all.size() / 12);
  for (; at + 12 <= all.size(); at += 12)
    out.push_back(decoded<std::int64_t>(all.data() + at + 4));
  return out;
}

} // namespace postrider::store::pg
