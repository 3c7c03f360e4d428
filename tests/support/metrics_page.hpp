#pragma once

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postrider::testing {

/// A series of a page of metrics.
struct sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

/// Reads the text format of Prometheus as far as we write it.
inline std::vector<sample> read_metrics(const std::string& page) {
  std::vector<sample> out;
  std::istringstream lines{page};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#')
      continue;
    sample one;
    auto at = line.find_first_of("{ ");
    one.name = line.substr(0, at);
    while (line[at] != ' ') {
      const auto equals = line.find("=\"", at);
      const auto end = line.find('"', equals + 2);
      one.labels[line.substr(at + 1, equals - at - 1)] =
          line.substr(equals + 2, end - equals - 2);
      at = end + 1;
      if (line[at] == '}')
        ++at;
    }
    one.value = std::strtod(line.c_str() + at, nullptr);
    out.push_back(std::move(one));
  }
  return out;
}

/// The sum of the series of this name that have all these labels.
inline double sum_of(const std::vector<sample>& all, std::string_view name,
                     const std::map<std::string, std::string>& labels = {}) {
  double sum = 0;
  for (const auto& one : all) {
    bool fits = one.name == name;
    for (const auto& [label, value] : labels) {
      const auto found = one.labels.find(label);
      fits = fits && found != one.labels.end() && found->second == value;
    }
    sum += fits ? one.value : 0;
  }
  return sum;
}

} // namespace postrider::testing
