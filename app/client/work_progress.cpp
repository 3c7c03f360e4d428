#include "app/client/work_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t bar_width = 30;

} // namespace

work_progress::work_progress(const client_options& options, std::string what,
                             std::uint64_t total)
    : what_{std::move(what)},
      total_{total},
      bar_{::isatty(STDERR_FILENO) == 1 && !options.json},
      json_{options.json},
      quiet_{options.quiet},
      next_{begun_ + (bar_ ? 200ms : 10'000ms)} {}

work_progress::~work_progress() {
  if (drawn_ && bar_)
    std::fputs("\r\x1b[K", stderr);
}

void work_progress::advance_to(std::uint64_t done) {
  const auto now = clock::now();
  if (quiet_ || now < next_)
    return;
  next_ = now + (bar_ ? 200ms : 10'000ms);
  draw(done);
}

void work_progress::draw(std::uint64_t done) {
  drawn_ = true;
  const std::chrono::duration<double> passed = clock::now() - begun_;
  const auto rate = static_cast<double>(done) / std::max(passed.count(), 1e-3);
  if (json_) {
    fmt::print(stderr,
               "{{\"progress\":{{\"done\":{},\"total\":{},\"per_second\":"
               "{:.1f}}}}}\n",
               done, total_, rate);
    return;
  }
  auto text = fmt::format("{} {}", what_, done);
  if (total_ > 0)
    text += fmt::format(" of {}", total_);
  text += fmt::format(", {:.0f}/s", rate);
  if (!bar_) {
    fmt::print(stderr, "{}\n", text);
    return;
  }
  if (total_ > 0) {
    const auto filled = std::min(bar_width, bar_width * done / total_);
    text =
        fmt::format("[{:<{}}] {}", std::string(filled, '#'), bar_width, text);
  }
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
}

} // namespace postrider::app
