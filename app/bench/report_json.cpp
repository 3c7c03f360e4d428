#include "app/bench/bench_report.hpp"
#include "app/bench/machine.hpp"
#include "app/version.hpp"

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace postrider::app {

namespace {

using json = nlohmann::ordered_json;

json phase_json(const bench_phase& phase) {
  const auto& used = phase.used;
  json cpu = json::object();
  json memory = json::object();
  for (const auto& part : used.parts) {
    cpu[part.name] = phase.each(part.cpu);
    memory[part.name] = part.memory;
  }
  cpu["all"] = phase.each(used.cpu());
  json latencies = json::object();
  for (const auto& [name, times] : phase.latencies)
    latencies[name] = {
        {"count", times.count()},         {"p50", times.quantile(0.5)},
        {"p90", times.quantile(0.9)},     {"p99", times.quantile(0.99)},
        {"p99.9", times.quantile(0.999)}, {"max", times.max()}};
  json facts = json::object();
  for (const auto& [name, count] : phase.facts)
    facts[name] = count;
  return {{"name", phase.name},
          {"unit", phase.unit},
          {"count", phase.count},
          {"seconds", used.seconds},
          {"per_second", phase.rate()},
          {"latency_us", latencies},
          {"cpu_us_each", cpu},
          {"memory_bytes", memory},
          {"wal_bytes_each", phase.each(static_cast<double>(used.wal) / 1e6)},
          {"busy_cores", used.busy_cores},
          {"other_cores", used.other_cores},
          {"facts", facts}};
}

} // namespace

std::string to_json(const bench_report& report) {
  const auto machine = read_machine();
  json settings = json::object();
  for (const auto& [name, value] : report.settings)
    settings[name] = value;
  json phases = json::array();
  for (const auto& one : report.phases)
    phases.push_back(phase_json(one));
  json verdicts = json::array();
  for (const auto& one : report.verdicts)
    verdicts.push_back({{"assert", one.text},
                        {"phase", one.phase},
                        {"value", one.value},
                        {"met", one.met}});
  json compared = json::array();
  for (const auto& one : report.compared)
    compared.push_back({{"phase", one.phase},
                        {"figure", one.figure},
                        {"base", one.base},
                        {"now", one.now},
                        {"ratio", one.ratio}});
  const auto now =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const json whole{
      {"scenario", report.scenario},
      {"version", version()},
      {"commit", commit()},
      {"ended_at", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
      {"good", report.good()},
      {"faults", report.faults},
      {"asserts", verdicts},
      {"compared", compared},
      {"machine",
       {{"cores", machine.cores},
        {"model", machine.model},
        {"kernel", machine.kernel}}},
      {"settings", settings},
      {"postgresql", report.postgresql},
      {"phases", phases}};
  return whole.dump(2) + "\n";
}

} // namespace postrider::app
