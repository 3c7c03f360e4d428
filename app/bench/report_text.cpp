#include "app/bench/bench_report.hpp"
#include "app/bench/machine.hpp"
#include "app/version.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

constexpr double mebibyte = 1 << 20;

std::string phase_text(const bench_phase& phase) {
  const auto& used = phase.used;
  auto text = fmt::format("\n{}\n  {:<14} {} {} in {:.2f} s\n"
                          "  {:<14} {:.0f} {}/s\n",
                          phase.name, "done", phase.count, phase.unit,
                          used.seconds, "rate", phase.rate(), phase.unit);
  for (const auto& [name, times] : phase.latencies) {
    text += fmt::format("  {:<14}", name);
    const auto show = [&](const char* label, std::int64_t micros) {
      text += fmt::format(" {} {:.2f} ms ", label,
                          static_cast<double>(micros) / 1000);
    };
    show("p50", times.quantile(0.5));
    show("p90", times.quantile(0.9));
    show("p99", times.quantile(0.99));
    show("p99.9", times.quantile(0.999));
    show("max", times.max());
    text.back() = '\n';
  }
  text +=
      fmt::format("  {:<14} {:.1f} us each:", "cpu", phase.each(used.cpu()));
  for (const auto& part : used.parts)
    text += fmt::format(" {} {:.1f} ", part.name, phase.each(part.cpu));
  text.back() = '\n';
  text += fmt::format("  {:<14}", "memory");
  for (const auto& part : used.parts)
    text += fmt::format(" {} {:.0f} MiB ", part.name,
                        static_cast<double>(part.memory) / mebibyte);
  text.back() = '\n';
  text += fmt::format(
      "  {:<14} {:.0f} bytes each\n"
      "  {:<14} {:.2f} busy, {:.2f} of them with the work of others\n",
      "wal", phase.each(static_cast<double>(used.wal) / 1e6), "cores",
      used.busy_cores, used.other_cores);
  for (const auto& [name, count] : phase.facts)
    text += fmt::format("  {:<14} {}\n", name, count);
  return text;
}

} // namespace

std::string to_text(const bench_report& report) {
  const auto machine = read_machine();
  auto text = fmt::format("bench {}   postrider {} ({})\n", report.scenario,
                          version(), commit());
  text += fmt::format("  {:<14} {} cores, {}, {}\n", "machine", machine.cores,
                      machine.model, machine.kernel);
  const auto list = [&text](const char* label, const auto& pairs) {
    text += fmt::format("  {:<14}", label);
    std::size_t column = 16;
    for (const auto& [name, value] : pairs) {
      const auto word = fmt::format(" {}={}", name, value);
      if (column + word.size() > 78) {
        text += fmt::format("\n  {:<14}", "");
        column = 16;
      }
      text += word;
      column += word.size();
    }
    text += '\n';
  };
  list("settings", report.settings);
  list("postgresql", report.postgresql);
  for (const auto& phase : report.phases)
    text += phase_text(phase);
  if (!report.compared.empty())
    text += "\nbeside the base\n";
  for (const auto& one : report.compared)
    text +=
        fmt::format("  {:<14} {:.4g} to {:.4g}, {:.0f} %   {}\n", one.figure,
                    one.base, one.now, 100 * one.ratio, one.phase);
  text += '\n';
  for (const auto& one : report.verdicts)
    text += fmt::format("{}: {} ({}: {:.6g})\n", one.met ? "met" : "NOT MET",
                        one.text, one.phase, one.value);
  for (const auto& one : report.faults)
    text += fmt::format("FAULT: {}\n", one);
  if (report.faults.empty())
    text += "nothing lost, nothing twice, in order, well signed\n";
  return text;
}

} // namespace postrider::app
