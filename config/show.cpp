#include "config/show.hpp"

#include "config/keys.hpp"
#include "config/render.hpp"

#include <fmt/format.h>

namespace postrider::config {

std::vector<shown> show_keys(const reading& from) {
  auto copy = from.whole;
  std::vector<shown> out;
  for (const auto& one : keys_of(copy)) {
    const auto set = from.origins.find(one.path());
    out.push_back({one.section, one.name, render(one.where),
                   set == from.origins.end() ? "default" : set->second.where,
                   one.when == applies::on_reload});
  }
  return out;
}

std::string show(const reading& from) {
  std::string text;
  std::string section;
  for (const auto& one : show_keys(from)) {
    if (one.section != section) {
      text += fmt::format("{}[{}]\n", section.empty() ? "" : "\n", one.section);
      section = one.section;
    }
    text += fmt::format("{:<38} # {}\n",
                        fmt::format("{} = {}", one.name, one.value), one.where);
  }
  if (!from.conflicts.empty())
    text += "\n# Set in more than one file; the last one counts:\n";
  for (const auto& one : from.conflicts)
    text += fmt::format("# {}: {}, then {}\n", one.key, one.earlier, one.later);
  return text;
}

} // namespace postrider::config
