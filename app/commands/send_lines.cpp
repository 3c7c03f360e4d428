#include "app/api/json_text.hpp"
#include "app/api_client.hpp"
#include "app/client/failure.hpp"
#include "app/client/problem_text.hpp"
#include "app/client/work_progress.hpp"
#include "app/commands/options.hpp"
#include "app/commands/send_options.hpp"
#include "app/json_text.hpp"
#include "app/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_events = 500;
// Every node takes a request of 1 MiB.
constexpr std::size_t most_bytes = 1'000'000;
constexpr int most_tries = 8;

struct numbered_line {
  std::uint64_t number = 0;
  std::string text;
};

/// The line with what the options say of all of them, where it says nothing.
std::string completed(const numbered_line& line, const send_options& options) {
  const auto read = api::read_json(line.text);
  const auto* event = std::get_if<api::json_value>(&read);
  if (!event || event->kind != api::json_kind::object)
    throw failure{exit_usage,
                  fmt::format("--ndjson: line {} is no JSON object: {}",
                              line.number,
                              event ? "write {\"type\": …, \"payload\": …}"
                                    : json_fault(line.text))};
  std::string more;
  const auto add = [&](std::string_view name, const std::string& value) {
    for (const auto& member : api::members_of(*event))
      if (member.key == name)
        return;
    if (!value.empty())
      more += fmt::format("\"{}\":{},", name, json_quote(value));
  };
  add("tenant", options.tenant);
  add("type", options.type);
  const auto rest = event->text.substr(1);
  // An empty object has nothing that a comma could stand before.
  if (!more.empty() && api::members_of(*event).empty())
    more.pop_back();
  return fmt::format("{{{}{}", more, rest);
}

class batches {
public:
  explicit batches(const send_options& options)
      : options_{options}, api_{options} {}

  void add(const numbered_line& line) {
    auto text = completed(line, options_);
    if (numbers_.size() == most_events
        || (!numbers_.empty() && body_.size() + text.size() > most_bytes))
      flush();
    body_ += numbers_.empty() ? "[" : ",";
    body_ += text;
    numbers_.push_back(line.number);
  }

  void flush() {
    if (numbers_.empty())
      return;
    const auto answer = deliver(body_ + "]");
    accepted_ += count_in(answer, "accepted");
    duplicates_ += count_in(answer, "duplicates");
    rejected_ += count_in(answer, "rejected");
    report(answer);
    sent_ += numbers_.size();
    numbers_.clear();
    body_.clear();
  }

  std::uint64_t sent() const { return sent_; }

  int finish() const {
    if (options_.json)
      fmt::print("{{\"accepted\":{},\"duplicates\":{},\"rejected\":{}}}\n",
                 accepted_, duplicates_, rejected_);
    else
      fmt::print("{} accepted, {} duplicates, {} rejected\n", accepted_,
                 duplicates_, rejected_);
    if (rejected_ == 0)
      return exit_done;
    return accepted_ + duplicates_ > 0 ? exit_partly : exit_refused;
  }

private:
  static std::uint64_t count_in(const std::string& answer, const char* name) {
    return std::strtoull(json_member(answer, name).c_str(), nullptr, 10);
  }

  /// What was certainly not stored is sent again; of anything else the caller
  /// has to know where to go on.
  std::string deliver(const std::string& body) {
    for (int tries = 1;; ++tries) {
      auto answer = api_.client().call("POST", "/v1/events/batch", body);
      if (answer.status == 200)
        return std::move(answer.body);
      const auto code = json_member(answer.body, "code");
      if ((code != "overloaded" && code != "draining") || tries == most_tries)
        throw stopped(answer);
      std::this_thread::sleep_for(std::min(100ms * (1 << tries), 5'000ms));
    }
  }

  failure stopped(const api_answer& answer) const {
    const auto first = numbers_.front();
    const auto why =
        answer.status == 0
            ? failure{exit_unreachable, fmt::format("{} does not answer ({})",
                                                    api_.url(), answer.fault)}
            : failure_of(answer.status, answer.body);
    return {why.code(),
            fmt::format("{}\nlines before {} are stored; events without an id "
                        "from there on may be stored twice when sent again\n"
                        "try: --skip {}",
                        why.what(), first, first - 1)};
  }

  void report(const std::string& answer) const {
    const auto read = api::read_json(answer);
    for (const auto& member : api::members_of(std::get<api::json_value>(read)))
      if (member.key == "results")
        for (const auto& one : api::elements_of(member.value))
          report_one(one);
  }

  void report_one(const api::json_value& result) const {
    for (const auto& member : api::members_of(result))
      if (member.key == "problem") {
        const auto index = std::strtoull(
            json_member(result.text, "index").c_str(), nullptr, 10);
        const auto status = json_member(member.value.text, "status");
        complain(fmt::format(
            "line {}: {}", index < numbers_.size() ? numbers_[index] : 0,
            failure_of(std::atoi(status.c_str()), member.value.text).what()));
      }
  }

  const send_options& options_;
  api_session api_;
  std::string body_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t sent_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t rejected_ = 0;
};

} // namespace

int send_lines(const send_options& options) {
  std::ifstream file;
  if (options.lines != "-") {
    file.open(options.lines, std::ios::binary);
    if (!file)
      throw failure{exit_usage,
                    fmt::format("--ndjson: can't read {}", options.lines)};
  }
  auto& in = options.lines == "-" ? std::cin : file;
  batches out{options};
  {
    work_progress shown{options, "sent", 0};
    numbered_line line;
    while (std::getline(in, line.text)) {
      ++line.number;
      if (line.number <= options.skip
          || line.text.find_first_not_of(" \t\r") == std::string::npos)
        continue;
      out.add(line);
      shown.advance_to(out.sent());
    }
    out.flush();
  }
  return out.finish();
}

} // namespace postrider::app
