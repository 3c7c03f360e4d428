#pragma once

#include "core/model.hpp"
#include "store/database.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace postrider::store {

/// Accepts events through `postrider.ingest`, the function behind
/// `postrider.publish`: one transaction for the batch, one answer for each
/// event; a refused event does not touch its neighbours. Throws `error`
/// (`transient`: whether the batch was committed is unknown); not
/// thread-safe. After a throw the next call connects again.
class ingester {
public:
  explicit ingester(database where);
  ~ingester();

  std::vector<ingest_result> ingest(std::span<const new_event> batch);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
