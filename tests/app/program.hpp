#pragma once

#include "app/child.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace postrider::testing {

/// The command line as a user types it, run to its end.
inline app::finished postrider(std::vector<std::string> arguments,
                               const std::string& input = "") {
  arguments.insert(arguments.begin(), POSTRIDER_BINARY);
  return app::run({.arguments = std::move(arguments)}, input);
}

/// A folder that is removed at the end; any account may enter it.
class temporary_folder {
public:
  temporary_folder() {
    auto name =
        (std::filesystem::temp_directory_path() / "postrider-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }
  ~temporary_folder() { std::filesystem::remove_all(path_); }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / name, std::ios::binary} << text;
    return (path_ / name).string();
  }
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace postrider::testing
