#include "store/pg_params.hpp"

#include <array>
#include <type_traits>
#include <utility>

namespace postrider::store::pg {

namespace {

template <class Int>
void append(std::string& out, Int value) {
  const auto bits = static_cast<std::make_unsigned_t<Int>>(value);
  std::array<char, sizeof(Int)> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(bits >> (bytes.size() - 1 - i) * 8 & 0xff);
  out.append(bytes.data(), bytes.size());
}

template <class Int>
void put(std::string& out, std::size_t at, Int value) {
  std::string bytes;
  append(bytes, value);
  out.replace(at, bytes.size(), bytes);
}

template <class Int>
std::string encoded(Int value) {
  std::string out;
  append(out, value);
  return out;
}

std::string encoded(const uuid& value) {
  return {value.bytes.begin(), value.bytes.end()};
}

// Dimensions, null flag, element type, length, lower bound: 4 bytes each.
constexpr std::size_t null_flag_at = 4;
constexpr std::size_t length_at = 12;

} // namespace

array::array(type element) {
  append(out_, std::int32_t{1});
  append(out_, std::int32_t{0});
  append(out_, static_cast<std::int32_t>(element));
  append(out_, std::int32_t{0});
  append(out_, std::int32_t{1});
}

void array::reserve(std::size_t values, std::size_t bytes) {
  out_.reserve(out_.size() + values * sizeof(std::int32_t) + bytes);
}

template <class Int>
array& array::integer(Int value) {
  append(out_, static_cast<std::int32_t>(sizeof(Int)));
  append(out_, value);
  ++size_;
  return *this;
}

array& array::int2(std::int16_t value) {
  return integer(value);
}
array& array::int4(std::int32_t value) {
  return integer(value);
}
array& array::int8(std::int64_t value) {
  return integer(value);
}

array& array::boolean(bool value) {
  return integer(static_cast<std::int8_t>(value ? 1 : 0));
}

array& array::id(const uuid& value) {
  append(out_, static_cast<std::int32_t>(value.bytes.size()));
  out_.append(value.bytes.begin(), value.bytes.end());
  ++size_;
  return *this;
}

array& array::bytes(std::string_view value) {
  append(out_, static_cast<std::int32_t>(value.size()));
  out_.append(value);
  ++size_;
  return *this;
}

array& array::json(std::string_view value) {
  append(out_, static_cast<std::int32_t>(value.size() + 1));
  out_.push_back(1); // the version of jsonb's binary form
  out_.append(value);
  ++size_;
  return *this;
}

array& array::micros(std::int64_t value) {
  return integer(value - epoch_offset);
}

array& array::null() {
  append(out_, std::int32_t{-1});
  nulls_ = true;
  ++size_;
  return *this;
}

std::string_view array::finish() {
  put(out_, null_flag_at, static_cast<std::int32_t>(nulls_ ? 1 : 0));
  put(out_, length_at, size_);
  return out_;
}

params& params::int2(std::int16_t value) {
  return bytes(encoded(value));
}
params& params::int4(std::int32_t value) {
  return bytes(encoded(value));
}
params& params::int8(std::int64_t value) {
  return bytes(encoded(value));
}

params& params::boolean(bool value) {
  return bytes(encoded(static_cast<std::int8_t>(value ? 1 : 0)));
}

params& params::id(const uuid& value) {
  return bytes(encoded(value));
}

params& params::bytes(std::string_view value) {
  values_.emplace_back(std::in_place, value);
  return *this;
}

params& params::micros(std::int64_t value) {
  return bytes(encoded(value - epoch_offset));
}

params& params::null() {
  values_.emplace_back(std::nullopt);
  return *this;
}

params& params::add(array& value) {
  return bytes(value.finish());
}

params& params::add(array&& value) {
  value.finish();
  values_.emplace_back(std::move(value.out_));
  return *this;
}

std::vector<const char*> params::values() const {
  std::vector<const char*> out;
  out.reserve(values_.size());
  for (const auto& value : values_)
    out.push_back(value ? value->data() : nullptr);
  return out;
}

std::vector<int> params::lengths() const {
  std::vector<int> out;
  out.reserve(values_.size());
  for (const auto& value : values_)
    out.push_back(value ? static_cast<int>(value->size()) : 0);
  return out;
}

} // namespace postrider::store::pg
