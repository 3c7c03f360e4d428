#include "app/bench/comparison.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>

namespace postrider::app {

namespace {

using json = nlohmann::json;

/// One figure of a report's phase and where it stands in it.
struct known_figure {
  const char* name;
  const char* pointer;
  bool judged; ///< else told only
};

constexpr known_figure figures[] = {
    {"cpu", "/cpu_us_each/all", true},
    {"cpu.node", "/cpu_us_each/node", true},
    {"wal", "/wal_bytes_each", true},
    {"memory.node", "/memory_bytes/node", true},
    {"rate", "/per_second", false},
    {"p50", "/latency_us/arrived/p50", false},
    {"p99", "/latency_us/arrived/p99", false},
};

std::vector<bench_base::figure> figures_of(const json& report) {
  std::vector<bench_base::figure> found;
  for (const auto& phase : report.at("phases"))
    for (const auto& one : figures) {
      const json::json_pointer where{one.pointer};
      if (phase.contains(where) && phase.at(where).is_number())
        found.push_back({phase.at("name").get<std::string>(), one.name,
                         phase.at(where).get<double>()});
    }
  return found;
}

bool judged(const std::string& name) {
  return std::any_of(
      std::begin(figures), std::end(figures),
      [&](const auto& one) { return one.judged && one.name == name; });
}

std::optional<double> find(const std::vector<bench_base::figure>& all,
                           const bench_base::figure& like) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return one.phase == like.phase && one.name == like.name;
  });
  return found == all.end() ? std::nullopt : std::optional{found->value};
}

/// Settings that are not the same make figures that can't be compared.
void compare_settings(const bench_base& base, bench_report& report) {
  for (const auto& [name, value] : base.settings) {
    const auto now =
        std::find_if(report.settings.begin(), report.settings.end(),
                     [&](const auto& one) { return one.first == name; });
    if (name != "database" && name != "set"
        && (now == report.settings.end() || now->second != value))
      report.faults.push_back(fmt::format(
          "the base was measured with {}={}: use the same here", name, value));
  }
}

} // namespace

std::string read_base(const std::string& file, bench_base& into) {
  std::ifstream from{file};
  if (!from)
    return fmt::format("{} can't be read", file);
  try {
    const auto read = json::parse(from);
    into.scenario = read.at("scenario").get<std::string>();
    for (const auto& [name, value] : read.at("settings").items())
      into.settings.emplace_back(name, value.get<std::string>());
    into.figures = figures_of(read);
  } catch (const json::exception&) {
    return fmt::format("{} is no report of a benchmark", file);
  }
  return {};
}

void compare(const bench_base& base, double tolerance, bench_report& report) {
  compare_settings(base, report);
  const auto now = figures_of(json::parse(to_json(report)));
  std::set<std::string> missing;
  for (const auto& was : base.figures) {
    const auto value = find(now, was);
    if (!value) {
      missing.insert(was.phase);
      continue;
    }
    const auto ratio = was.value > 0 ? *value / was.value : 1;
    report.compared.push_back({was.phase, was.name, was.value, *value, ratio});
    if (judged(was.name))
      report.verdicts.push_back(
          {fmt::format("{} within {:g} % of the base", was.name, tolerance),
           was.phase, *value, ratio <= 1 + tolerance / 100});
  }
  for (const auto& phase : missing)
    report.faults.push_back(fmt::format(
        "{}: the base has figures of it and this run has not", phase));
  if (report.compared.empty())
    report.faults.emplace_back("nothing could be compared with the base");
}

} // namespace postrider::app
