#include "config/fault.hpp"

#include <fmt/format.h>

namespace postrider::config {

std::string to_string(const fault& found) {
  auto text = fmt::format("{}: {}: {}", found.where,
                          found.warning ? "warning" : "error", found.what);
  if (!found.excerpt.empty())
    text += "\n" + found.excerpt;
  return text;
}

std::string count_faults(std::size_t errors, std::size_t warnings) {
  const auto count = [](std::size_t many, const char* name) {
    return fmt::format("{} {}{}", many, name, many == 1 ? "" : "s");
  };
  std::string text;
  if (errors > 0)
    text = count(errors, "error");
  if (warnings > 0)
    text += (text.empty() ? "" : ", ") + count(warnings, "warning");
  return text;
}

} // namespace postrider::config
