#pragma once

#include <filesystem>
#include <string>

namespace postrider::app {

/// The folder that was named, or a temporary one that goes with this object.
class dev_folder {
public:
  explicit dev_folder(const std::string& named);
  ~dev_folder();
  dev_folder(const dev_folder&) = delete;
  dev_folder& operator=(const dev_folder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  bool temporary() const noexcept { return temporary_; }
  void remove() const;

private:
  std::filesystem::path path_;
  bool temporary_;
};

} // namespace postrider::app
