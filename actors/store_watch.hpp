#pragma once

#include "actors/counters.hpp"
#include "actors/keeper.hpp"
#include "actors/log.hpp"

#include <caf/result.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace postrider::actors {

/// Calls of one store actor into the store: the one place where its exceptions
/// become replies, and where its dealings with the database are recorded.
class store_watch {
public:
  store_watch() = default;
  store_watch(std::string_view who, log_sink log, counters_ptr counters)
      : who_{who}, log_{std::move(log)}, counters_{std::move(counters)} {}
  store_watch(store_watch&&) = default;
  store_watch& operator=(store_watch&&) = default;
  /// A connection that is no more is not a broken one.
  ~store_watch() {
    if (counters_)
      mend();
  }

  template <class T, class Call>
  caf::result<T> run(store_query what, Call call) {
    try {
      return timed(what, std::move(call));
    } catch (const store::error& fault) {
      return to_message(fault);
    } catch (const std::exception& fault) {
      log_(level::error, who_, fault.what());
      return caf::make_error(caf::sec::bad_function_call,
                             std::string{fault.what()});
    }
  }

  /// The same, but for a caller that sees to the exceptions itself.
  template <class Call>
  auto timed(store_query what, Call call) {
    const stopwatch running{meters().duration[static_cast<std::size_t>(what)]};
    try {
      if constexpr (std::is_void_v<decltype(call())>) {
        call();
        mend();
      } else {
        auto out = call();
        mend();
        return out;
      }
    } catch (const store::error& fault) {
      meters().errors[static_cast<std::size_t>(fault.what_class())].add();
      if (fault.what_class() == store::error_class::connection
          && !std::exchange(broken_, true))
        ++meters().broken;
      throw;
    }
  }

private:
  struct stopwatch {
    explicit stopwatch(quick_times& where) : to{where} {}
    ~stopwatch() { to.observe(std::chrono::steady_clock::now() - from); }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;

    quick_times& to;
    std::chrono::steady_clock::time_point from =
        std::chrono::steady_clock::now();
  };

  store_meters& meters() { return counters_->meters.store; }

  void mend() {
    if (std::exchange(broken_, false))
      --meters().broken;
  }

  std::string_view who_;
  log_sink log_;
  counters_ptr counters_;
  bool broken_ = false;
};

} // namespace postrider::actors
