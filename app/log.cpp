#include "app/log.hpp"

#include "app/line_limit.hpp"
#include "app/log_line.hpp"
#include "app/log_writer.hpp"
#include "core/metering.hpp"

#include <mutex>
#include <utility>

namespace postrider::app {

namespace {

using actors::level;

constexpr std::uint64_t lines_in_a_second = 50;

} // namespace

struct log::state {
  state(std::string_view lowest, std::string name, int file)
      : node{std::move(name)},
        least{std::make_shared<std::atomic<level>>(parse_level(lowest))},
        out{file} {}

  void write(level how, std::string_view component, std::string text,
             const actors::log_fields& about) {
    if (how != level::debug && !may_say(how, component, text)) {
      left_out.add();
      return;
    }
    lines[static_cast<std::size_t>(how)].add();
    out.write(log_line(std::chrono::system_clock::now(), how, node, component,
                       text, about));
  }

  bool may_say(level how, std::string_view component, std::string& text) {
    const std::lock_guard lock{mutex};
    // What is worse is not drowned by what is said often.
    auto& of = how == level::info ? calm : alarming;
    const auto verdict = of.judge(component, std::chrono::steady_clock::now());
    if (verdict.left_out > 0)
      text += " (" + std::to_string(verdict.left_out)
              + " lines like it were left out)";
    return verdict.pass;
  }

  const std::string node;
  const std::shared_ptr<std::atomic<level>> least;
  std::array<count, 4> lines;
  count left_out;
  std::mutex mutex;
  line_limit calm{lines_in_a_second};
  line_limit alarming{lines_in_a_second};
  log_writer out;
};

log::log(std::string_view level, std::string node, int file)
    : state_{std::make_shared<state>(level, std::move(node), file)} {}

log::~log() = default;

actors::log_sink log::sink() const {
  return {state_->least, [to = state_](level how, std::string_view component,
                                       const std::string& text,
                                       const actors::log_fields& about) {
            to->write(how, component, text, about);
          }};
}

void log::use_level(std::string_view level) {
  *state_->least = parse_level(level);
}

log::tally log::counted() const {
  tally out;
  for (std::size_t i = 0; i < out.lines.size(); ++i)
    out.lines[i] = state_->lines[i].value();
  out.dropped = state_->out.dropped();
  out.left_out = state_->left_out.value();
  return out;
}

} // namespace postrider::app
