#include "app/bench/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t width = 30;

} // namespace

progress::progress(std::string what, std::uint64_t total)
    : what_{std::move(what)},
      total_{total},
      terminal_{::isatty(STDERR_FILENO) == 1} {}

progress::~progress() {
  if (terminal_)
    std::fputs("\r\x1b[K", stderr);
}

void progress::show(std::uint64_t done) {
  const auto now = clock::now();
  if (now - shown_ < (terminal_ ? 100ms : 10'000ms))
    return;
  shown_ = now;
  const auto rate = static_cast<double>(done)
                    / std::chrono::duration<double>(now - started_).count();
  if (!terminal_) {
    fmt::print(stderr, "{}: {}{}, {:.0f}/s\n", what_, done,
               total_ != 0 ? fmt::format(" of {}", total_) : "", rate);
    return;
  }
  const auto filled =
      total_ == 0
          ? 0
          : static_cast<std::size_t>(width * std::min(done, total_) / total_);
  fmt::print(stderr, "\r\x1b[K{} [{}{}] {}  {:.0f}/s", what_,
             std::string(filled, '#'), std::string(width - filled, '.'), done,
             rate);
  std::fflush(stderr);
}

} // namespace postrider::app
