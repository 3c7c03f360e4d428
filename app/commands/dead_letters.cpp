#include "app/client/confirm.hpp"
#include "app/client/time_argument.hpp"
#include "app/client/work_progress.hpp"
#include "app/commands/client_command.hpp"
#include "app/json_text.hpp"

#include <cstdlib>

namespace postrider::app {

namespace {

struct dead_letter_options : list_options {
  std::string tenant;
  std::string endpoint;
  std::string error;
  std::string reason;
  std::string since;
  std::string until;
  std::optional<std::int64_t> expected;
  bool dry_run = false;
};

/// Times are fixed once: the count and the work see the same ones.
std::vector<std::pair<std::string, std::string>>
filter_of(const dead_letter_options& options) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      out.emplace_back(name, value);
  };
  add("tenant", options.tenant);
  add("endpoint", options.endpoint);
  add("error", options.error);
  add("reason", options.reason);
  add("since", time_argument("--since", options.since));
  add("until", time_argument("--until", options.until));
  return out;
}

std::string query_of(const dead_letter_options& options) {
  query_text query;
  for (const auto& [name, value] : filter_of(options))
    query.add(name, value);
  return query.text();
}

int list(const dead_letter_options& options) {
  return print_list(options, "/v1/dead-letters" + query_of(options),
                    {{"ENDED", "ended_at"},
                     {"ERROR", "error"},
                     {"REASON", "reason"},
                     {"ATTEMPTS", "attempts"},
                     {"ENDPOINT", "endpoint"},
                     {"EVENT", "event"},
                     {"ID", "id"}});
}

int summary(const dead_letter_options& options) {
  api_session api{options};
  const auto body = api.get("/v1/dead-letters/summary" + query_of(options));
  if (options.json) {
    fmt::print("{}\n", body);
    return exit_done;
  }
  list_output out{options,
                  {{"COUNT", "count"},
                   {"ERROR", "error"},
                   {"ENDPOINT", "endpoint"},
                   {"TENANT", "tenant"},
                   {"OLDEST", "oldest_at"},
                   {"NEWEST", "newest_at"}}};
  for_each_row(body, [&](std::string_view row) { out.add(row); });
  out.finish(false);
  if (!options.quiet && out.rows() > 0)
    fmt::print(stderr, "{} dead letters, by endpoint and error: {}\n",
               json_member(body, "count"), json_member(body, "groups"));
  return exit_done;
}

std::int64_t number_in(const std::string& body, const char* name) {
  return std::strtoll(json_member(body, name).c_str(), nullptr, 10);
}

/// `verb` is the last part of the route.
int treat(const dead_letter_options& options, const std::string& verb) {
  api_session api{options};
  const auto filter = filter_of(options);
  query_text query;
  std::string members;
  for (const auto& [name, value] : filter) {
    query.add(name, value);
    members += fmt::format("\"{}\":{},", name, json_quote(value));
  }
  const auto count =
      number_in(api.get("/v1/dead-letters/summary" + query.text()), "count");
  if (options.dry_run || count == 0) {
    fmt::print("{} dead letters to {}\n", count, verb);
    return exit_done;
  }
  confirm(options,
          fmt::format("{} {} dead letter{}{}", verb, count,
                      count == 1 ? "" : "s",
                      verb == "purge" ? ", for good" : ""),
          count, options.expected);
  const auto past = verb == "purge" ? "purged" : "retried";
  std::int64_t done = 0;
  std::int64_t skipped = 0;
  {
    work_progress shown{options, past, static_cast<std::uint64_t>(count)};
    auto next = fmt::format("\"expect_count\":{}", count);
    do {
      const auto body = api.call("POST", "/v1/dead-letters/" + verb,
                                 fmt::format("{{{}{}}}", members, next));
      done += number_in(body, past);
      skipped += number_in(body, "skipped");
      const auto cursor = json_member(body, "next_cursor");
      next = cursor.empty() ? ""
                            : fmt::format("\"cursor\":{}", json_quote(cursor));
      shown.advance_to(static_cast<std::uint64_t>(done + skipped));
    } while (!next.empty());
  }
  if (options.json)
    fmt::print("{{\"{}\":{},\"skipped\":{}}}\n", past, done, skipped);
  else
    fmt::print(
        "{} {}{}\n", past, done,
        skipped == 0
            ? ""
            : fmt::format(", {} left alone: changed meanwhile, or their "
                          "endpoint is disabled, or it or the payload is gone",
                          skipped));
  return skipped == 0 ? exit_done : exit_partly;
}

int retry(const dead_letter_options& options) {
  return treat(options, "retry");
}

int purge(const dead_letter_options& options) {
  return treat(options, "purge");
}

void add_filter(CLI::App& verb, dead_letter_options& into) {
  add_tenant_option(verb, into.tenant);
  verb.add_option("--endpoint", into.endpoint, "Only to this one")
      ->type_name("ID");
  verb.add_option("--error", into.error,
                  "Only with this one, as summary shows it")
      ->type_name("ERROR");
  verb.add_option("--reason", into.reason, "Only given up for this reason")
      ->check(one_of({"exhausted", "expired", "rejected", "redirected", "gone",
                      "blocked_address", "aborted", "unusable",
                      "endpoint_disabled", "shed", "evicted", "crashed"}))
      ->type_name("REASON");
  verb.add_option("--since", into.since,
                  "Given up since a time, or so long ago")
      ->type_name("TIME");
  verb.add_option("--until,--older-than", into.until, "Given up before")
      ->type_name("TIME");
}

} // namespace

void add_dead_letters(CLI::App& root, action& chosen) {
  auto* noun = add_noun(root, "dead-letters",
                        "Deliveries that failed and were not put back");
  const auto add = [&](const char* name, const char* description,
                       const char* examples,
                       int (*work)(const dead_letter_options&)) {
    auto made = add_client_command<dead_letter_options>(
        *noun, chosen, name, description, examples, work);
    add_filter(*made.command, *made.options);
    return made;
  };
  const auto add_treatment =
      [&](const client_command<dead_letter_options>& to) {
        to.command
            ->add_option("--expect", to.options->expected,
                         "Refuse unless there are so many")
            ->type_name("N");
        to.command->add_flag("--dry-run", to.options->dry_run,
                             "Only count them");
      };
  const auto listing =
      add("list", "Dead letters, newest first",
          "  postrider dead-letters list --error timeout_response\n"
          "  postrider dead-letters list --tenant acme --since 24h",
          list);
  add_limit_options(*listing.command, *listing.options);
  add("summary", "How many, by endpoint and error",
      "  postrider dead-letters summary --tenant acme", summary);
  add_treatment(
      add("retry", "Put them back, each with three more attempts",
          "  postrider dead-letters retry --endpoint ep_…\n"
          "  postrider dead-letters retry --error http_5xx --yes --expect 120",
          retry));
  add_treatment(
      add("purge", "Remove all record of them but their events",
          "  postrider dead-letters purge --older-than 30d --dry-run\n"
          "  postrider dead-letters purge --tenant acme --yes --expect 12",
          purge));
}

} // namespace postrider::app
