#include "app/work_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace postrider::app {

namespace fs = std::filesystem;

namespace {

fs::path make_temporary(const std::string& purpose) {
  auto name =
      (fs::temp_directory_path() / fmt::format("postrider-{}-XXXXXX", purpose))
          .string();
  if (!::mkdtemp(name.data()))
    throw std::runtime_error{
        fmt::format("can't make a folder {}: {}", name, std::strerror(errno))};
  return name;
}

} // namespace

work_folder::work_folder(const std::string& named, const std::string& purpose)
    : path_{named.empty() ? make_temporary(purpose) : fs::absolute(named)},
      temporary_{named.empty()} {}

work_folder::~work_folder() {
  remove();
}

void work_folder::remove() const {
  std::error_code ignored;
  if (temporary_)
    fs::remove_all(path_, ignored);
}

} // namespace postrider::app
