#pragma once

#include "core/handover.hpp"
#include "core/model.hpp"
#include "store/database.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace postrider::store {

/// What became of a batch.
struct ingested {
  std::vector<ingest_result> results; ///< one for each event
  /// What there is to deliver of it, unless that is more than 1024 in all.
  std::vector<fresh_delivery> made;
};

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
  /// The same, and tells the deliveries that were made.
  ingested ingest_and_tell(std::span<const new_event> batch);

  /// Of the server that took the last batch (`known_server`).
  std::uint32_t timeline() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
