#include "app/bench/receiver_process.hpp"

#include "app/bench/payload.hpp"
#include "app/exit_code.hpp"
#include "core/signature.hpp"
#include "net/sink.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace postrider::app {

namespace {

constexpr std::string_view path_prefix = "/e/";

template <class Number>
Number number_of(std::string_view text, Number otherwise) {
  Number value = otherwise;
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc{} && stop == end ? value : otherwise;
}

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

class bench_receiver {
public:
  explicit bench_receiver(const bench_receiver_options& options)
      : verify_every_{options.verify_every},
        fan_out_{options.fan_out},
        sequence_name_{lower(options.header_prefix) + "sequence"},
        attempt_name_{lower(options.header_prefix) + "attempt"},
        ledger_{options.endpoints},
        keys_(options.endpoints),
        faults_{options.fault, options.seed},
        sink_{"127.0.0.1",
              [this](const net::sink_request& request) {
                const std::lock_guard guard{mutex_};
                return take(request, answer_);
              }},
        black_hole_{"127.0.0.1", [this](const net::sink_request& request) {
                      const std::lock_guard guard{mutex_};
                      return take(request, net::sink_answer::none);
                    }} {}

  std::uint16_t port() const { return sink_.port(); }
  std::uint16_t black_hole() const { return black_hole_.port(); }
  /// The answer; empty for none.
  std::string obey(const std::string& line);

private:
  /// What it gets: that answer, unless its attempt is to be refused.
  net::sink_answer take(const net::sink_request& request,
                        net::sink_answer answer);
  void obey_answer(const std::string& verb, std::istringstream& words);
  void check_signature(const net::sink_request& request, std::size_t endpoint);

  std::uint64_t verify_every_;
  bool fan_out_;
  std::string sequence_name_;
  std::string attempt_name_;
  std::mutex mutex_; ///< guards all that follows
  arrival_ledger ledger_;
  std::vector<std::optional<signing_key>> keys_;
  fault_injector faults_;
  std::uint64_t seen_ = 0;
  net::sink_answer answer_ = net::sink_answer::done;
  int refused_attempts_ = 0;
  net::sink sink_; ///< both end before what they call
  net::sink black_hole_;
};

net::sink_answer bench_receiver::take(const net::sink_request& request,
                                      net::sink_answer answer) {
  const auto mark = read_payload(request.body);
  if (!mark || !request.target.starts_with(path_prefix)) {
    ledger_.foreign();
    return answer;
  }
  bench_arrival one;
  one.endpoint = number_of<std::size_t>(
      request.target.substr(path_prefix.size()), keys_.size());
  one.number =
      fan_out_ ? mark->number * keys_.size() + one.endpoint : mark->number;
  one.intended = mark->intended;
  one.sequence = number_of<std::int64_t>(request.header(sequence_name_), -1);
  one.attempt = number_of<int>(request.header(attempt_name_), 0);
  one.arrived = monotonic_now();
  if (one.attempt < refused_attempts_)
    answer = net::sink_answer::unavailable;
  one.taken =
      answer == net::sink_answer::done || answer == net::sink_answer::later;
  if (verify_every_ != 0 && ++seen_ % verify_every_ == 0)
    check_signature(request, one.endpoint);
  faults_.pass(one,
               [this](const bench_arrival& each) { ledger_.arrived(each); });
  return answer;
}

void bench_receiver::check_signature(const net::sink_request& request,
                                     std::size_t endpoint) {
  if (endpoint >= keys_.size() || !keys_[endpoint])
    return;
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(
      std::chrono::system_clock::now());
  const bool good = verify_signature(
      *keys_[endpoint], request.header("webhook-id"),
      request.header("webhook-timestamp"), request.header("webhook-signature"),
      request.body, now, std::chrono::minutes{5});
  ledger_.signature(good && !faults_.forges());
}

std::string bench_receiver::obey(const std::string& line) {
  std::istringstream words{line};
  std::string verb;
  words >> verb;
  const std::lock_guard guard{mutex_};
  if (verb == "key") {
    std::size_t endpoint = 0;
    std::string secret;
    words >> endpoint >> secret;
    if (endpoint < keys_.size())
      keys_[endpoint] = signing_key::parse(secret);
  } else if (verb == "measure") {
    std::int64_t moment = 0;
    words >> moment;
    ledger_.measure_from(moment);
  } else if (verb == "watch") {
    std::size_t endpoints = 0;
    words >> endpoints;
    ledger_.watch(endpoints);
  } else if (verb == "pace") {
    auto answer = std::to_string(ledger_.pace().peak());
    for (const auto count : ledger_.pace().seconds())
      answer += fmt::format(" {}", count);
    return answer + "\n";
  } else if (verb == "stats") {
    const auto& t = ledger_.totals();
    return fmt::format("{} {} {} {} {} {} {} {} {} {}\n", t.arrived, t.unique,
                       t.duplicates, t.inversions, t.retries, t.turned_away,
                       t.foreign, t.verified, t.forged, t.last);
  } else if (verb == "overtakings") {
    std::string answer;
    for (const auto& one : ledger_.overtakings())
      answer += fmt::format("{} {} ", one.number, one.intended);
    return answer + "\n";
  } else if (verb == "latencies") {
    return ledger_.latencies().pack() + "\n";
  } else {
    obey_answer(verb, words);
  }
  return {};
}

void bench_receiver::obey_answer(const std::string& verb,
                                 std::istringstream& words) {
  if (verb == "answer") {
    int status = 0;
    words >> status;
    answer_ =
        status == 503 ? net::sink_answer::unavailable : net::sink_answer::done;
  } else if (verb == "refuse") {
    words >> refused_attempts_;
  } else if (verb == "hold") {
    answer_ = net::sink_answer::later;
  } else if (verb == "release") {
    answer_ = net::sink_answer::done;
    sink_.release();
  }
}

/// As many connections as the system lets us have.
void raise_file_limit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
}

} // namespace

int run_bench_receiver(const bench_receiver_options& options) {
  raise_file_limit();
  bench_receiver here{options};
  fmt::print("port {} {}\n", here.port(), here.black_hole());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = here.obey(line);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    std::fflush(stdout);
  }
  return exit_done;
}

} // namespace postrider::app
