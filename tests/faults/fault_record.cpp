#include "tests/faults/fault_record.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

namespace postrider::testing {

namespace {

using json = nlohmann::json;

json to_json(const fault_record& of) {
  return {{"row", of.row},
          {"fault", of.fault},
          {"rounds", of.rounds},
          {"lost", of.lost},
          {"avoidable", of.avoidable},
          {"unavoidable", of.unavoidable},
          {"inversions", of.inversions},
          {"other", of.other},
          {"recovery_p50", of.recovery_p50},
          {"recovery_max", of.recovery_max},
          {"documented", of.documented}};
}

std::string seconds_of(std::int64_t ms) {
  return ms < 0 ? "" : fmt::format("{:.2f}", static_cast<double>(ms) / 1'000);
}

std::int64_t count_of(const std::map<std::string, std::int64_t>& numbers,
                      const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

} // namespace

fault_record put_on_record(const std::string& row, const std::string& fault,
                           std::int64_t rounds,
                           const std::vector<verdict>& verdicts,
                           std::vector<std::int64_t> recovery,
                           bool documented) {
  fault_record out{row, fault, rounds};
  out.documented = documented;
  for (const auto& one : verdicts) {
    const auto broken = static_cast<std::int64_t>(one.broken);
    if (one.id == "I1") {
      out.lost = broken;
    } else if (one.id == "I2") {
      out.avoidable = count_of(one.numbers, "avoidable");
      for (const auto* reason : {"U1", "U2", "U3", "U4"})
        out.unavoidable += count_of(one.numbers, reason);
    } else if (one.id == "I3") {
      out.inversions = broken;
    } else {
      out.other += broken;
    }
    if (const auto p50 = one.numbers.find("p50 ms"); p50 != one.numbers.end()) {
      out.recovery_p50 = p50->second;
      out.recovery_max = count_of(one.numbers, "max ms");
    }
  }
  if (!recovery.empty()) {
    std::ranges::sort(recovery);
    out.recovery_p50 = recovery[recovery.size() / 2];
    out.recovery_max = recovery.back();
  }
  put_on_record(out);
  return out;
}

void put_on_record(const fault_record& one) {
  static std::mutex turn;
  const std::lock_guard lock{turn};
  fmt::print("{} {} x {}: lost {}, avoidable {}, unavoidable {}, inversions "
             "{}, other {}{}\n",
             one.row, one.fault, one.rounds, one.lost, one.avoidable,
             one.unavoidable, one.inversions, one.other,
             one.recovery_max < 0
                 ? ""
                 : fmt::format(", back after p50 {} s, max {} s",
                               seconds_of(one.recovery_p50),
                               seconds_of(one.recovery_max)));
  if (const auto* file = std::getenv("POSTRIDER_FAULT_RECORDS"))
    std::ofstream{file, std::ios::app} << to_json(one).dump() << '\n';
}

std::vector<fault_record> read_fault_records(std::istream& in) {
  std::vector<fault_record> out;
  for (std::string line; std::getline(in, line);) {
    const auto from = json::parse(line);
    out.push_back({from.at("row"), from.at("fault"), from.at("rounds"),
                   from.at("lost"), from.at("avoidable"),
                   from.at("unavoidable"), from.at("inversions"),
                   from.at("other"), from.at("recovery_p50"),
                   from.at("recovery_max"), from.at("documented")});
  }
  return out;
}

std::string fault_table(std::vector<fault_record> all) {
  std::map<std::pair<std::string, std::string>, fault_record> lines;
  std::map<std::pair<std::string, std::string>, std::vector<std::int64_t>> p50s;
  for (auto& one : all) {
    const auto key = std::pair{one.row, one.fault};
    auto& line =
        lines.try_emplace(key, fault_record{one.row, one.fault}).first->second;
    line.rounds += one.rounds;
    line.lost += one.lost;
    line.avoidable += one.avoidable;
    line.unavoidable += one.unavoidable;
    line.inversions += one.inversions;
    line.other += one.other;
    line.documented = line.documented || one.documented;
    line.recovery_max = std::max(line.recovery_max, one.recovery_max);
    if (one.recovery_p50 >= 0)
      p50s[key].push_back(one.recovery_p50);
  }
  std::string out =
      "| row | fault | rounds | lost | avoidable | unavoidable | inversions | "
      "other | back after p50, s | max, s |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (auto& [key, line] : lines) {
    if (auto& found = p50s[key]; !found.empty()) {
      std::ranges::sort(found);
      line.recovery_p50 = found[found.size() / 2];
    }
    out += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", line.row,
        line.fault + (line.documented ? " †" : ""), line.rounds, line.lost,
        line.avoidable, line.unavoidable, line.inversions, line.other,
        seconds_of(line.recovery_p50), seconds_of(line.recovery_max));
  }
  return out;
}

} // namespace postrider::testing
