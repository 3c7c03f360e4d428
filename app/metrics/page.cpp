#include "app/metrics/page.hpp"

#include <utility>

namespace postrider::app::metrics {

using prometheus::MetricType;

prometheus::ClientMetric& page::add(std::string_view name,
                                    std::string_view help, MetricType type,
                                    labels of) {
  auto place = places_.find(name);
  if (place == places_.end()) {
    place = places_.emplace(std::string{name}, families_.size()).first;
    prometheus::MetricFamily made;
    made.name = name;
    made.help = help;
    made.type = type;
    families_.push_back(std::move(made));
  }
  auto& made = families_[place->second].metric.emplace_back();
  made.label = std::move(of);
  return made;
}

void page::counter(std::string_view name, std::string_view help, double value,
                   labels of) {
  add(name, help, MetricType::Counter, std::move(of)).counter.value = value;
}

void page::counter(std::string_view name, std::string_view help,
                   const count& value, labels of) {
  counter(name, help, static_cast<double>(value.value()), std::move(of));
}

void page::gauge(std::string_view name, std::string_view help, double value,
                 labels of) {
  add(name, help, MetricType::Gauge, std::move(of)).gauge.value = value;
}

void page::histogram(std::string_view name, std::string_view help,
                     std::span<const std::uint64_t> bounds,
                     const distribution& counted, double unit, labels of) {
  auto& to = add(name, help, MetricType::Histogram, std::move(of)).histogram;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    below += counted.buckets[i];
    to.bucket.push_back({below, static_cast<double>(bounds[i]) * unit});
  }
  to.sample_count = below + counted.buckets[bounds.size()];
  to.sample_sum = static_cast<double>(counted.sum) * unit;
}

std::vector<prometheus::MetricFamily> page::take() {
  places_.clear();
  return std::move(families_);
}

} // namespace postrider::app::metrics
