#include "app/metrics/exporter.hpp"

#include "app/metrics/families.hpp"

#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

namespace postrider::app::metrics {

class exporter::reader : public prometheus::Collectable {
public:
  explicit reader(sources from) : from_{std::move(from)} {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    page to;
    add_node(to, from_);
    add_api(to, from_);
    add_ingest(to, from_);
    add_deliveries(to, from_);
    add_attempts(to, from_);
    add_backlog(to, from_);
    add_health(to, from_);
    add_client(to, from_);
    add_leases(to, from_);
    add_retention(to, from_);
    add_store(to, from_);
    add_actors(to, from_);
    add_loops(to, from_);
    add_process(to);
    return to.take();
  }

private:
  sources from_;
};

exporter::exporter(sources from)
    : reader_{std::make_unique<reader>(std::move(from))} {}

exporter::~exporter() = default;

std::string exporter::text() const {
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, reader_->Collect());
  return std::move(out).str();
}

} // namespace postrider::app::metrics
