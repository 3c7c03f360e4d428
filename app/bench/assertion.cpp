#include "app/bench/assertion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

namespace postrider::app {

namespace {

constexpr std::pair<const char*, double> shares[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};

constexpr const char* processes[] = {"node", "postgresql", "receiver", "load"};

/// `cpu` of `cpu.node`.
std::string kind_of(const std::string& metric) {
  const auto dot = metric.find('.');
  if (dot != std::string::npos)
    for (const auto* one : processes)
      if (metric.compare(dot + 1, std::string::npos, one) == 0)
        return metric.substr(0, dot);
  return metric;
}

/// Whether a part of what was used belongs to it.
bool takes(const std::string& metric, const costs::part& part) {
  return metric == kind_of(metric) || metric.ends_with("." + part.name);
}

bool is_latency(const std::string& metric) {
  for (const auto& [name, share] : shares)
    if (metric == name)
      return true;
  return false;
}

/// What one of the unit is in the metric's own; 0 when it does not fit.
double unit_of(const std::string& metric, const std::string& unit) {
  constexpr std::pair<const char*, double> times[] = {
      {"us", 1}, {"ms", 1e3}, {"s", 1e6}};
  constexpr std::pair<const char*, double> sizes[] = {
      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  if (is_latency(metric))
    for (const auto& [name, value] : times)
      if (unit == name)
        return value;
  if (kind_of(metric) == "memory")
    for (const auto& [name, value] : sizes)
      if (unit == name)
        return value;
  if (metric == "rate")
    return unit.empty() || unit == "/s" ? 1 : 0;
  if (kind_of(metric) == "cpu")
    return unit.empty() || unit == "us" ? 1 : 0;
  if (metric == "wal")
    return unit.empty() ? 1 : 0;
  return 0;
}

std::string units_of(const std::string& metric) {
  if (is_latency(metric))
    return "us, ms or s";
  if (kind_of(metric) == "memory")
    return "KiB, MiB or GiB";
  if (metric == "wal")
    return "none";
  return metric == "rate" ? "none or /s" : "none or us";
}

std::optional<double> measure(const std::string& metric,
                              const bench_phase& phase) {
  if (metric == "rate")
    return phase.rate();
  if (metric == "wal")
    return phase.each(static_cast<double>(phase.used.wal) / 1e6);
  if (const auto kind = kind_of(metric); kind == "cpu" || kind == "memory") {
    double sum = 0;
    bool found = false;
    for (const auto& part : phase.used.parts)
      if (takes(metric, part)) {
        found = true;
        sum += kind == "cpu" ? phase.each(part.cpu)
                             : static_cast<double>(part.memory);
      }
    return found ? std::optional{sum} : std::nullopt;
  }
  if (phase.latencies.empty())
    return std::nullopt;
  const auto& times = phase.latencies.back().second;
  for (const auto& [name, share] : shares)
    if (metric == name)
      return static_cast<double>(share == 1 ? times.max()
                                            : times.quantile(share));
  return std::nullopt;
}

bool holds(double value, const std::string& relation, double bound) {
  if (relation == "<")
    return value < bound;
  if (relation == "<=")
    return value <= bound;
  return relation == ">" ? value > bound : value >= bound;
}

} // namespace

std::string parse_assertion(const std::string& text, bench_assertion& into) {
  const auto at = text.find_first_of("<>");
  if (at == std::string::npos)
    return fmt::format("\"{}\" holds no comparison: write such as p99<50ms",
                       text);
  into.text = text;
  into.metric = text.substr(0, at);
  into.relation = text.substr(at, text.compare(at + 1, 1, "=") == 0 ? 2 : 1);
  if (const auto kind = kind_of(into.metric);
      !is_latency(into.metric) && into.metric != "rate" && into.metric != "wal"
      && kind != "cpu" && kind != "memory")
    return fmt::format(
        "\"{}\" is no metric: use rate, p50, p90, p99, p99.9, max, wal, cpu, "
        "memory, or one of the last two of a process: {}",
        into.metric, fmt::format("cpu.{}", fmt::join(processes, ", cpu.")));
  const auto rest = text.substr(at + into.relation.size());
  const auto* end = rest.data() + rest.size();
  const auto [stop, fault] = std::from_chars(rest.data(), end, into.bound);
  if (fault != std::errc{})
    return fmt::format("\"{}\" is no number", rest);
  const auto unit = unit_of(into.metric, std::string{stop, end});
  if (unit == 0)
    return fmt::format("\"{}\" is no unit of {}: use {}",
                       std::string{stop, end}, into.metric,
                       units_of(into.metric));
  into.bound *= unit;
  return {};
}

void judge_assertion(const bench_assertion& one, bench_report& report) {
  bool found = false;
  for (const auto& phase : report.phases)
    if (const auto value = measure(one.metric, phase)) {
      found = true;
      report.verdicts.push_back({one.text, phase.name, *value,
                                 holds(*value, one.relation, one.bound)});
    }
  if (!found)
    report.verdicts.push_back({one.text, "no phase measures it", 0, false});
}

} // namespace postrider::app
