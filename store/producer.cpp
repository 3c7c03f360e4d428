#include "store/producer.hpp"

#include "store/pg.hpp"

#include <utility>

namespace postrider::store {

namespace {

constexpr pg::statement publish_one{
    "publish", "select from postrider.publish($1::text, $2::text, $3::bytea)"};

constexpr pg::statement publish_batch{
    "publish_batch", "select count(*) from postrider.publish_batch("
                     "$1::text[], $2::text[], $3::bytea[])"};

} // namespace

class producer::impl {
public:
  explicit impl(database where)
      : link_{std::move(where), {.application_name = "postrider producer"}} {}

  void publish(const produced_event& one) {
    pg::params given;
    given.bytes(one.tenant).bytes(one.type).bytes(one.payload);
    link_.run(publish_one, given);
  }

  void publish(std::span<const produced_event> batch) {
    pg::array tenants{pg::type::text};
    pg::array types{pg::type::text};
    pg::array payloads{pg::type::bytea};
    for (const auto& one : batch) {
      tenants.bytes(one.tenant);
      types.bytes(one.type);
      payloads.bytes(one.payload);
    }
    pg::params given;
    given.add(tenants).add(types).add(payloads);
    link_.run(publish_batch, given);
  }

private:
  pg::connection link_;
};

producer::producer(database where)
    : impl_{std::make_unique<impl>(std::move(where))} {}
producer::~producer() = default;

void producer::publish(const produced_event& one) {
  impl_->publish(one);
}

void producer::publish(std::span<const produced_event> batch) {
  impl_->publish(batch);
}

} // namespace postrider::store
