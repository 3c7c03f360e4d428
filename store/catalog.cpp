#include "store/catalog.hpp"

#include "store/catalog_impl.hpp"
#include "store/error.hpp"

#include <algorithm>
#include <utility>

namespace postrider::store {

namespace {

constexpr int largest_page = 1'000;

} // namespace

time_ms time_of(const pqxx::field& field) {
  return time_ms{std::chrono::milliseconds{field.as<std::int64_t>()}};
}

std::optional<time_ms> optional_time_of(const pqxx::field& field) {
  if (field.is_null())
    return std::nullopt;
  return time_of(field);
}

std::string text_of(const pqxx::field& field) {
  return field.is_null() ? std::string{} : field.as<std::string>();
}

std::optional<int> optional_int_of(const pqxx::field& field) {
  if (field.is_null())
    return std::nullopt;
  return field.as<int>();
}

uuid id_of(const pqxx::field& field) {
  const auto id = parse_uuid(field.c_str());
  if (!id)
    throw error{error::kind::defect, "the database gave no UUID"};
  return *id;
}

end_reason reason_of(const pqxx::field& field) {
  return parse_end_reason(field.c_str()).value_or(end_reason::none);
}

int bounded_limit(const page& where) {
  return bounded_limit(where.limit);
}

int bounded_limit(int limit) {
  return std::clamp(limit, 1, largest_page);
}

void walk_only(pqxx::work& work) {
  work.exec0("set local enable_hashjoin = off");
  work.exec0("set local enable_mergejoin = off");
  work.exec0("set local jit = off");
}

catalog::catalog(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}

catalog::~catalog() = default;

void catalog::use_secret_key(std::string key) {
  impl_->box = secret_box::make(key);
  if (!impl_->box)
    throw error{error::kind::broken,
                "the key that seals secrets has to be 32 bytes long"};
}

} // namespace postrider::store
