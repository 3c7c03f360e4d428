#include "app/bench/node_handle.hpp"

#include "app/bench/receiver_handle.hpp"
#include "app/cluster_files.hpp"
#include "app/exit_code.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace postrider::app {

namespace {

std::vector<std::string> command_line(const std::string& config_file,
                                      const std::vector<std::string>& settings,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> words{own_program(), "bench", "node", "--folder",
                                 folder.string()};
  if (!config_file.empty()) {
    words.emplace_back("--config");
    words.push_back(std::filesystem::absolute(config_file).string());
  }
  for (const auto& one : settings) {
    words.emplace_back("--set");
    words.push_back(one);
  }
  return words;
}

} // namespace

node_handle::node_handle(const std::string& config_file,
                         const std::vector<std::string>& settings,
                         const std::filesystem::path& folder,
                         const std::string& log)
    : log_{folder / log},
      process_{{.arguments = command_line(config_file, settings, folder),
                .user = {},
                .folder = {},
                .log = log_.string(),
                .piped = true}} {
  std::istringstream words{process_.read_line().value_or("")};
  std::string word;
  words >> word >> port_;
  if (word != "api" || port_ == 0)
    throw std::runtime_error{
        fmt::format("the node did not start:\n{}", last_lines(log_, 12))};
}

std::string node_handle::api_url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

void node_handle::go() {
  process_.write("g");
}

void node_handle::check() {
  if (const auto code = process_.status())
    throw std::runtime_error{
        fmt::format("the node ended by itself with code {}; its log ends:\n{}",
                    *code, last_lines(log_, 12))};
}

std::string node_handle::last_words() const {
  return last_lines(log_, 12);
}

bool node_handle::stop() {
  process_.close_input();
  return process_.wait() == exit_done;
}

} // namespace postrider::app
