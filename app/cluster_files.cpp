#include "app/cluster_files.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace postrider::app {

namespace fs = std::filesystem;

namespace {

const fs::path versions = "/usr/lib/postgresql";

bool complete(const fs::path& programs) {
  return fs::exists(programs / "initdb") && fs::exists(programs / "postgres");
}

/// The folder of the newest version, and then those of PATH.
std::optional<fs::path> newest() {
  int best = 0;
  std::error_code ignored;
  for (const auto& one : fs::directory_iterator{versions, ignored}) {
    const int version = std::atoi(one.path().filename().c_str());
    if (version > best && complete(one.path() / "bin"))
      best = version;
  }
  if (best > 0)
    return versions / std::to_string(best) / "bin";
  const char* path = std::getenv("PATH");
  std::string_view left = path ? path : "";
  while (!left.empty()) {
    const auto end = std::min(left.find(':'), left.size());
    const fs::path folder{left.substr(0, end)};
    if (complete(folder))
      return folder;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return std::nullopt;
}

} // namespace

fs::path find_postgres_programs(const fs::path& cluster) {
  std::string version;
  if (std::ifstream file{cluster / "PG_VERSION"}; file >> version) {
    const auto own = versions / version / "bin";
    if (complete(own))
      return own;
  }
  if (auto found = newest())
    return *found;
  throw std::runtime_error{
      version.empty()
          ? std::
              string{"PostgreSQL is not installed: apt-get install postgresql"}
          : fmt::format("{} was made by PostgreSQL {}, which is not installed: "
                        "apt-get install postgresql-{}",
                        cluster.string(), version, version)};
}

std::optional<postmaster_file> read_postmaster_file(const fs::path& cluster) {
  std::ifstream file{cluster / "postmaster.pid"};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  if (lines.empty())
    return std::nullopt;
  // The eighth line is the server's word on its own state.
  return postmaster_file{static_cast<pid_t>(std::atol(lines[0].c_str())),
                         lines.size() >= 8 && lines[7].starts_with("ready")};
}

bool serves_cluster(pid_t pid, const fs::path& cluster) {
  if (pid <= 0)
    return false;
  std::error_code fault;
  const auto process = fs::path{"/proc"} / std::to_string(pid);
  std::string name;
  std::ifstream{process / "comm"} >> name;
  return name == "postgres" && fs::equivalent(process / "cwd", cluster, fault)
         && !fault;
}

std::string last_lines(const fs::path& file, std::size_t count) {
  std::ifstream stream{file};
  std::deque<std::string> kept;
  for (std::string line; std::getline(stream, line);) {
    kept.push_back(line);
    if (kept.size() > count)
      kept.pop_front();
  }
  std::string text;
  for (const auto& line : kept)
    text.append("  ").append(line).append("\n");
  return text;
}

} // namespace postrider::app
