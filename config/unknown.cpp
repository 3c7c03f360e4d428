#include "config/unknown.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::config {

namespace {

constexpr auto look_up =
    "there is no such key (postrider config example lists all)";

} // namespace

unknown unknown_in_file(const key_table& keys, const std::string& section,
                        const std::string& name) {
  std::string what;
  if (section.empty())
    what = fmt::format("unknown key {}: keys stand in sections, such as "
                       "[delivery]",
                       name);
  else if (keys.knows_section(section))
    what = fmt::format("unknown key {}.{}", section, name);
  else
    what = fmt::format("unknown section [{}]", section);
  const auto meant = keys.suggest(section, name);
  if (meant && meant->section == section)
    what += fmt::format(" (did you mean {}?)", meant->name);
  else if (meant)
    what += fmt::format(" (did you mean {}.{}?)", meant->section, meant->name);
  else if (const auto close = keys.suggest_section(section);
           close && *close != section)
    what += fmt::format(" (did you mean {}?)", *close);
  return {std::move(what), !meant || meant->secret};
}

unknown unknown_variable(const key_table& keys, const named_key& meant) {
  const auto close = keys.suggest(meant.section, meant.name);
  if (!close)
    return {look_up};
  return {fmt::format("there is no such key (did you mean {}?)",
                      environment_name(close->section, close->name))};
}

unknown unknown_setting(const key_table& keys, const std::string& path) {
  const auto dot = std::min(path.find('.'), path.size());
  const auto close = keys.suggest(path.substr(0, dot),
                                  path.substr(std::min(dot + 1, path.size())));
  if (!close)
    return {look_up};
  return {fmt::format("there is no such key (did you mean {}.{}?)",
                      close->section, close->name)};
}

} // namespace postrider::config
