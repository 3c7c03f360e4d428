#pragma once

#include <memory>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace postrider::store {

/// A libpqxx connection for the calm paths: connects when first used, and
/// again after anything but a conflict has gone wrong. Throws `store::error`;
/// not thread-safe.
class session {
public:
  session(std::string url, std::string application_name);
  ~session();

  /// Runs `job(pqxx::work&)` in a transaction and commits it. A throw rolls
  /// it back.
  template <class Job>
  auto run(Job job) {
    try {
      pqxx::work work{link()};
      if constexpr (std::is_void_v<decltype(job(work))>) {
        job(work);
        work.commit();
      } else {
        auto out = job(work);
        work.commit();
        return out;
      }
    } catch (...) {
      rethrow();
    }
  }

private:
  pqxx::connection& link();
  [[noreturn]] void rethrow();

  std::string url_;
  std::string application_name_;
  std::unique_ptr<pqxx::connection> link_;
};

/// Array parameters in text form.
std::string text_array(std::span<const std::string> values);
std::string number_array(std::span<const std::int64_t> values);

} // namespace postrider::store
