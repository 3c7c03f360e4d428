#include "store/catalog.hpp"

#include "store/catalog_impl.hpp"
#include "store/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace postrider::store {

namespace {

constexpr int largest_page = 1'000;

constexpr std::array reasons{end_reason::exhausted,
                             end_reason::expired,
                             end_reason::rejected,
                             end_reason::redirected,
                             end_reason::gone,
                             end_reason::blocked_address,
                             end_reason::endpoint_deleted,
                             end_reason::unusable};

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
  const auto found =
      std::find_if(reasons.begin(), reasons.end(), [&](end_reason one) {
        return to_string(one) == field.c_str();
      });
  return found == reasons.end() ? end_reason::none : *found;
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

catalog::catalog(std::string url)
    : impl_{std::make_unique<impl>(std::move(url))} {}

catalog::~catalog() = default;

void catalog::use_secret_key(std::string key) {
  impl_->box = secret_box::make(key);
  if (!impl_->box)
    throw error{error::kind::broken,
                "the key that seals secrets has to be 32 bytes long"};
}

} // namespace postrider::store
