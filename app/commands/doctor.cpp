#include "app/api/json_writer.hpp"
#include "app/client/node_settings.hpp"
#include "app/client/output.hpp"
#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/doctor/database.hpp"
#include "app/doctor/machine.hpp"
#include "app/engine_settings.hpp"
#include "app/exit_code.hpp"
#include "app/printable.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace postrider::app {

namespace {

struct doctor_options : client_options {
  std::string resolve;
};

std::string_view word_of(verdict what) {
  switch (what) {
  case verdict::ok:
    return "ok";
  case verdict::warn:
    return "warn";
  case verdict::fail:
    break;
  }
  return "FAIL";
}

check_results all_checks(const doctor_options& options) {
  check_results out{check_open_files(), check_resolver(options.resolve)};
  std::optional<config::config> settings;
  try {
    settings = node_settings(options.config);
    if (!settings)
      out.push_back({"configuration", verdict::fail,
                     "the environment holds a bad value",
                     "postrider check-config"});
  } catch (const std::exception& fault) {
    out.push_back({"configuration", verdict::fail, fault.what(),
                   "postrider check-config FILE"});
  }
  out.push_back(check_certificates(settings ? settings->http.ca_file : ""));
  if (settings && settings->storage.url.empty())
    out.push_back({"database", verdict::warn, "none is named",
                   "--config FILE, or POSTRIDER_STORAGE__URL_FILE"});
  else if (settings)
    for (auto& one : check_database(settings->storage.url,
                                    retention_of(settings->retention)))
      out.push_back(std::move(one));
  return out;
}

void print(const doctor_options& options, const check_results& found) {
  if (options.json) {
    api::json_writer out;
    out.begin_object().key("checks").begin_array();
    for (const auto& one : found) {
      out.begin_object();
      out.key("name").string(one.name);
      out.key("result").string(word_of(one.what));
      out.key("found").string(one.found);
      out.text_if("hint", one.hint);
      out.end_object();
    }
    out.end_array().end_object();
    fmt::print("{}\n", out.take());
    return;
  }
  const bool colour = coloured(options);
  for (const auto& one : found) {
    if (options.quiet && one.what == verdict::ok)
      continue;
    const auto word = word_of(one.what);
    fmt::print("{}{:{}}  {:<13}  {}{}\n", tinted(word, colour), "",
               4 - word.size(), one.name, printable(one.found),
               one.hint.empty() ? "" : fmt::format(" -> {}", one.hint));
  }
}

int doctor(const doctor_options& options) {
  const auto found = all_checks(options);
  print(options, found);
  const auto failed =
      std::any_of(found.begin(), found.end(), [](const check_result& one) {
        return one.what == verdict::fail;
      });
  return failed ? exit_not_met : exit_done;
}

} // namespace

void add_doctor(CLI::App& root, action& chosen) {
  auto* verb = root.add_subcommand(
      "doctor", "See whether this machine and the database are fit for a node");
  auto options = std::make_shared<doctor_options>();
  add_config_option(*verb, options->config);
  verb->add_option("--resolve", options->resolve,
                   "Look this name up too, such as a receiver's")
      ->type_name("HOST");
  verb->add_flag("--json", options->json, "One JSON document");
  verb->add_option("--color", options->color, "When to use colours")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN");
  verb->add_flag("-q,--quiet", options->quiet, "Only what is not ok");
  verb->footer("A line for each check: ok, warn or FAIL, what was found, what "
               "to do.\nExit code 8 when a check failed. Changes nothing.\n\n"
               "EXAMPLES\n"
               "  postrider doctor --config postrider.toml\n"
               "  postrider doctor --resolve hooks.example.com --quiet");
  verb->callback(
      [&chosen, options] { chosen = [options] { return doctor(*options); }; });
}

} // namespace postrider::app
