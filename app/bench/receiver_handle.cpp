#include "app/bench/receiver_handle.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace postrider::app {

namespace {

std::vector<std::string> command_line(const bench_receiver_options& options) {
  std::vector<std::string> words{own_program(),
                                 "bench",
                                 "receiver",
                                 "--endpoints",
                                 std::to_string(options.endpoints),
                                 "--verify-every",
                                 std::to_string(options.verify_every),
                                 "--header-prefix",
                                 options.header_prefix,
                                 "--fault",
                                 to_string(options.fault),
                                 "--seed",
                                 std::to_string(options.seed)};
  if (options.fan_out)
    words.emplace_back("--fan-out");
  return words;
}

} // namespace

std::string to_string(arrival_fault fault) {
  constexpr const char* names[] = {"none", "drop", "repeat", "reorder",
                                   "forge"};
  return names[static_cast<int>(fault)];
}

std::string own_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

receiver_handle::receiver_handle(const bench_receiver_options& options,
                                 const std::string& log)
    : process_{{.arguments = command_line(options),
                .user = {},
                .folder = {},
                .log = log,
                .piped = true}} {
  const auto line = process_.read_line().value_or("");
  std::istringstream words{line};
  std::string word;
  words >> word >> port_ >> black_hole_;
  if (word != "port" || port_ == 0 || black_hole_ == 0)
    throw std::runtime_error{
        fmt::format("the benchmark's receiver did not start: \"{}\"", line)};
}

std::string receiver_handle::url(std::size_t endpoint) const {
  return fmt::format("http://127.0.0.1:{}/e/{}", port_, endpoint);
}

std::string receiver_handle::black_hole_url(std::size_t endpoint) const {
  return fmt::format("http://127.0.0.1:{}/e/{}", black_hole_, endpoint);
}

void receiver_handle::tell(const std::string& line) {
  if (!process_.write(line + "\n"))
    throw std::runtime_error{"the benchmark's receiver has ended"};
}

std::string receiver_handle::ask(const std::string& line) {
  tell(line);
  const auto answer = process_.read_line();
  if (!answer)
    throw std::runtime_error{"the benchmark's receiver has ended"};
  return *answer;
}

void receiver_handle::key(std::size_t endpoint, const std::string& secret) {
  tell(fmt::format("key {} {}", endpoint, secret));
}

void receiver_handle::measure_from(std::int64_t moment) {
  tell(fmt::format("measure {}", moment));
}

void receiver_handle::answer(int status) {
  tell(fmt::format("answer {}", status));
}

void receiver_handle::watch(std::size_t endpoints) {
  tell(fmt::format("watch {}", endpoints));
}

void receiver_handle::refuse(int attempts) {
  tell(fmt::format("refuse {}", attempts));
}

void receiver_handle::hold() {
  tell("hold");
}

void receiver_handle::release() {
  tell("release");
}

arrival_totals receiver_handle::totals() {
  std::istringstream numbers{ask("stats")};
  arrival_totals t;
  numbers >> t.arrived >> t.unique >> t.duplicates >> t.inversions >> t.retries
      >> t.turned_away >> t.foreign >> t.verified >> t.forged >> t.last;
  if (!numbers)
    throw std::runtime_error{"the benchmark's receiver talks nonsense"};
  return t;
}

std::vector<overtaking> receiver_handle::overtakings() {
  std::istringstream numbers{ask("overtakings")};
  std::vector<overtaking> all;
  for (overtaking one; numbers >> one.number >> one.intended;)
    all.push_back(one);
  return all;
}

receiver_handle::pace receiver_handle::paced() {
  std::istringstream numbers{ask("pace")};
  pace all;
  numbers >> all.peak;
  for (std::uint64_t one = 0; numbers >> one;)
    all.seconds.push_back(one);
  return all;
}

log_histogram receiver_handle::latencies() {
  log_histogram read;
  if (!read.unpack(ask("latencies")))
    throw std::runtime_error{"the benchmark's receiver talks nonsense"};
  return read;
}

} // namespace postrider::app
