// What core/failpoint.hpp declares for objects that have failpoints. Linked
// into `postrider_failpoints` and nothing else.
#include "core/failpoint.hpp"
#include "tests/faults/failpoint_rule.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace postrider::failpoint {

namespace {

using testing::failpoint_rule;

class table {
public:
  table() {
    const char* seed = std::getenv("POSTRIDER_SEED");
    dice_.seed(seed ? std::strtoull(seed, nullptr, 10) : 1);
    const char* text = std::getenv("POSTRIDER_FAILPOINTS");
    try {
      rules_ = testing::parse_failpoints(text ? text : "");
    } catch (const std::invalid_argument& fault) {
      std::fprintf(stderr, "%s\n", fault.what());
      std::_Exit(2);
    }
  }

  /// The rule that acts at this hit.
  const failpoint_rule* hit(std::string_view name) {
    const std::lock_guard lock{mutex_};
    for (auto& rule : rules_)
      if (rule.name == name)
        return rule.hit(dice_) ? &rule : nullptr;
    return nullptr;
  }

private:
  std::mutex mutex_;
  std::mt19937_64 dice_;
  std::vector<failpoint_rule> rules_;
};

[[noreturn]] void hang() {
  for (;;)
    pause();
}

} // namespace

bool strikes(std::string_view name) {
  static table all;
  const auto* rule = all.hit(name);
  if (!rule)
    return false;
  using action = failpoint_rule::action;
  switch (rule->what) {
  case action::crash: // as by kill -9: nothing is put in order first
    kill(getpid(), SIGKILL);
    hang();
  case action::hang:
    hang();
  case action::sleep:
  case action::stall:
    std::this_thread::sleep_for(std::chrono::milliseconds{rule->amount});
    return false;
  case action::fail:
    throw std::runtime_error{"failpoint " + rule->name};
  case action::error:
  case action::drop:
    return true;
  }
  return false;
}

const char* altered(std::string_view text, std::string_view from,
                    std::string_view to) {
  static std::mutex mutex;
  static std::set<std::string> made;
  std::string out{text};
  for (auto at = out.find(from); at != std::string::npos;
       at = out.find(from, at + to.size()))
    out.replace(at, from.size(), to);
  const std::lock_guard lock{mutex};
  return made.insert(std::move(out)).first->c_str();
}

} // namespace postrider::failpoint
