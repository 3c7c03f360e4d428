#include "config/reference.hpp"

#include "config/keys.hpp"
#include "config/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace postrider::config {

namespace {

void comment(std::string& text, std::string_view lines) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    text += fmt::format("# {}\n", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

} // namespace

std::string reference_file() {
  config defaults;
  std::string text;
  comment(text,
          "postrider.toml: every key with its default.\n"
          "(L): a changed value is in force after a reload, by SIGHUP or\n"
          "`postrider config reload`; (R): after a restart.\n"
          "Each key is read from the environment too, which wins:\n"
          "delivery.lease is POSTRIDER_DELIVERY__LEASE. Durations are written "
          "250ms,\n"
          "5s, 2h; sizes 256KiB, 64MiB. Secrets come from the file that "
          "<key>_file\n"
          "names; credential:NAME is a file in $CREDENTIALS_DIRECTORY.\n");
  text += "\n";
  comment(text, "Further files, by name; what they set wins over this one.");
  text += "# include = [\"conf.d/*.toml\"]\n";
  std::string section;
  for (const auto& key : keys_of(defaults)) {
    if (key.section != section) {
      section = key.section;
      text += fmt::format("\n[{}]\n", section);
    }
    comment(text,
            fmt::format("({}) {}", key.when == applies::on_reload ? "L" : "R",
                        key.comment));
    if (const auto* secret = std::get_if<secret_field>(&key.where)) {
      text += fmt::format("# {}_file = \"{}\"\n", key.name, secret->example);
      if (!secret->file_only)
        text += fmt::format("# {} = \"…\"\n", key.name);
    } else {
      text += fmt::format("{} = {}\n", key.name, render(key.where));
    }
  }
  return text;
}

} // namespace postrider::config
