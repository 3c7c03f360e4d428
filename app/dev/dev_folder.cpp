#include "app/dev/dev_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace postrider::app {

namespace fs = std::filesystem;

namespace {

fs::path make_temporary() {
  auto name = (fs::temp_directory_path() / "postrider-dev-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    throw std::runtime_error{
        fmt::format("can't make a folder {}: {}", name, std::strerror(errno))};
  return name;
}

} // namespace

dev_folder::dev_folder(const std::string& named)
    : path_{named.empty() ? make_temporary() : fs::absolute(named)},
      temporary_{named.empty()} {}

dev_folder::~dev_folder() {
  remove();
}

void dev_folder::remove() const {
  std::error_code ignored;
  if (temporary_)
    fs::remove_all(path_, ignored);
}

} // namespace postrider::app
