#include "tests/faults/ledger_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace postrider::testing {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error{errno, std::generic_category(), path.string()};
}

} // namespace

ledger_file::ledger_file(std::filesystem::path path)
    : path_{std::move(path)},
      file_{open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC,
                 0600)} {
  if (file_ < 0)
    fail(path_);
}

ledger_file::~ledger_file() {
  close(file_);
}

void ledger_file::write(const ledger_line& line) {
  const auto text = format_line(line) + "\n";
  const std::lock_guard lock{mutex_};
  if (::write(file_, text.data(), text.size()) != std::ssize(text))
    fail(path_);
}

void ledger_file::write_durably(const ledger_line& line) {
  write(line);
  if (fdatasync(file_) != 0)
    fail(path_);
}

} // namespace postrider::testing
