#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <stdlib.h>
#include <unistd.h>

namespace postrider::testing {

/// A file that holds a key, for its owner only; removed with this object.
class key_file {
public:
  explicit key_file(const std::string& key) {
    path_ = (std::filesystem::temp_directory_path() / "postrider-key-XXXXXX")
                .string();
    const int made = ::mkstemp(path_.data());
    if (made < 0)
      throw std::runtime_error{"no key file"};
    ::close(made);
    std::ofstream{path_} << key;
  }
  ~key_file() { std::filesystem::remove(path_); }
  key_file(const key_file&) = delete;
  key_file& operator=(const key_file&) = delete;

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace postrider::testing
