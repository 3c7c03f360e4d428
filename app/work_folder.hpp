#pragma once

#include <filesystem>
#include <string>

namespace postrider::app {

/// The folder that was named, or a temporary one that goes with this object.
class work_folder {
public:
  /// `purpose` becomes a part of a temporary one's name.
  work_folder(const std::string& named, const std::string& purpose);
  ~work_folder();
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  bool temporary() const noexcept { return temporary_; }
  void remove() const;

private:
  std::filesystem::path path_;
  bool temporary_;
};

} // namespace postrider::app
