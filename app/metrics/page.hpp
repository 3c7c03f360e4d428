#pragma once

#include "core/metering.hpp"

#include <prometheus/metric_family.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::app::metrics {

/// Label names and values; both from closed lists.
using labels = std::vector<prometheus::ClientMetric::Label>;

/// The unit in which a histogram was recorded, as a part of the unit shown.
inline constexpr double nanoseconds = 1e-9;
inline constexpr double as_it_is = 1;

/// The page of metrics as it is put together. Series of one family may be
/// given one after the other or apart.
class page {
public:
  void counter(std::string_view name, std::string_view help, double value,
               labels of = {});
  void counter(std::string_view name, std::string_view help, const count& value,
               labels of = {});
  void gauge(std::string_view name, std::string_view help, double value,
             labels of = {});
  void histogram(std::string_view name, std::string_view help,
                 std::span<const std::uint64_t> bounds,
                 const distribution& counted, double unit, labels of = {});

  template <const auto& limits>
  void histogram(std::string_view name, std::string_view help,
                 const postrider::histogram<limits>& counted, double unit,
                 labels of = {}) {
    distribution all;
    counted.add_to(all);
    histogram(name, help, limits, all, unit, std::move(of));
  }

  std::vector<prometheus::MetricFamily> take();

private:
  prometheus::ClientMetric& add(std::string_view name, std::string_view help,
                                prometheus::MetricType type, labels of);

  std::vector<prometheus::MetricFamily> families_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

} // namespace postrider::app::metrics
