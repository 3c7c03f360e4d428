#pragma once

#include "store/database.hpp"

#include <memory>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <vector>

namespace postrider::store {

/// A libpqxx connection for the calm paths: connects when first used, and
/// again after anything but a conflict has gone wrong. No run takes longer
/// than the statement timeout and the silence of its database, whether the
/// server answers or not. Throws `store::error`; not thread-safe.
class session {
public:
  session(database where, std::string application_name);
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Runs `job(pqxx::work&)` in a transaction and commits it. A throw rolls
  /// it back. One whose commit did not reach the synchronous standby throws
  /// too, as one whose answer was lost.
  template <class Job>
  auto run(Job job) {
    try {
      pqxx::work work{begin()};
      if constexpr (std::is_void_v<decltype(job(work))>) {
        job(work);
        work.commit();
        end();
      } else {
        auto out = job(work);
        work.commit();
        end();
        return out;
      }
    } catch (...) {
      rethrow();
    }
  }

private:
  class impl;

  pqxx::connection_base& begin();
  void end();
  [[noreturn]] void rethrow();

  std::unique_ptr<impl> impl_;
};

/// Array parameters in text form.
std::string text_array(std::span<const std::string> values);
std::string number_array(std::span<const std::int64_t> values);

} // namespace postrider::store
