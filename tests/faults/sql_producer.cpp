#include "tests/faults/sql_producer.hpp"

#include "core/public_id.hpp"
#include "tests/faults/fault_bench.hpp"

#include <fmt/core.h>
#include <pqxx/pqxx>

#include <atomic>
#include <optional>

namespace postrider::testing {

namespace {

std::atomic<int> transactions{0};

} // namespace

struct sql_producer::link {
  explicit link(const std::string& url) : connection{url} {}

  pqxx::connection connection;
  std::optional<pqxx::work> work;
};

sql_producer::sql_producer(fault_bench& on)
    : on_{on}, link_{std::make_unique<link>(on.here().url())} {}

sql_producer::~sql_producer() = default;

void sql_producer::publish(const std::string& key, const std::string& stream) {
  if (!link_->work) {
    link_->work.emplace(link_->connection);
    transaction_ = fmt::format("t{}", ++transactions);
  }
  on_.note_call(key, on_.payload_of(key), stream, transaction_);
  const auto row = link_->work->exec_params1(
      "select event from postrider.publish('acme', 'a.b', $1::text, "
      "key => $2, ordering_key => $3)",
      on_.payload_of(key), key, stream);
  answers_.push_back(
      {key, 201, event_public_id(*parse_uuid(row[0].as<std::string>())), 0});
}

void sql_producer::commit() {
  link_->work->commit();
  link_->work.reset();
  for (auto& one : answers_) {
    one.at = ledger_now();
    on_.producer().write_durably(one);
  }
  answers_.clear();
}

void sql_producer::abort() {
  link_->work.reset();
  answers_.clear();
}

bool sql_producer::open() const {
  return link_->work.has_value();
}

} // namespace postrider::testing
