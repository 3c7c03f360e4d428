#pragma once

#include "app/metrics/sources.hpp"

#include <memory>
#include <string>

namespace postrider::app::metrics {

/// Reads a node's metrics when it is asked, and only then. Thread-safe.
class exporter {
public:
  explicit exporter(sources from);
  ~exporter();

  /// The page in the text format of Prometheus, version 0.0.4.
  std::string text() const;

private:
  class reader;
  std::unique_ptr<reader> reader_;
};

} // namespace postrider::app::metrics
