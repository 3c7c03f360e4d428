#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace postrider::actors {

enum class level : std::uint8_t { debug, info, warn, error };

/// What a line of the log is about, beside its text. What is empty or negative
/// does not stand in the line. Never a payload, a header's value or a secret.
struct log_fields {
  std::string event; ///< public ids
  std::string delivery;
  std::string endpoint;
  int attempt = -1; ///< 0-based
  std::string_view error;
  std::chrono::milliseconds duration{-1};
};

/// Writes one line of the log: who speaks and what is to be known. Callable
/// from any thread; does not block and does not throw. Without a writer it is
/// silent.
class log_sink {
public:
  using writer = std::function<void(level, std::string_view component,
                                    const std::string&, const log_fields&)>;

  log_sink() = default;

  /// What is below `least`, which may change at any time, is not written.
  log_sink(std::shared_ptr<const std::atomic<level>> least, writer to)
      : least_{std::move(least)}, write_{std::move(to)} {}

  /// Of a plain function, which gets every line without its fields.
  template <std::invocable<level, std::string_view, std::string> Write>
  log_sink(Write write)
      : least_{std::make_shared<const std::atomic<level>>(level::debug)},
        write_{[write = std::move(write)](level how, std::string_view component,
                                          const std::string& text,
                                          const log_fields&) mutable {
          write(how, component, text);
        }} {}

  /// To ask before a line is put together.
  bool enabled(level how) const noexcept {
    return write_ && how >= least_->load(std::memory_order_relaxed);
  }

  void operator()(level how, std::string_view component,
                  const std::string& text, const log_fields& about = {}) const {
    if (enabled(how))
      write_(how, component, text, about);
  }

private:
  std::shared_ptr<const std::atomic<level>> least_;
  writer write_;
};

} // namespace postrider::actors
