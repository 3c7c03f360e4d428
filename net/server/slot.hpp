#pragma once

#include "net/server/loop.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace postrider::net::server {

/// Lets the last copy of `respond` answer for a handler that forgot to.
class answer_slot {
public:
  answer_slot(std::shared_ptr<loop> loop, std::shared_ptr<connection> to,
              std::uint64_t serial)
      : loop_{std::move(loop)}, to_{std::move(to)}, serial_{serial} {}

  ~answer_slot() {
    if (to_)
      loop_->deliver(std::move(to_), serial_,
                     loop_->shared().options.refuse(
                         500, "the request was dropped without an answer"));
  }
  answer_slot(const answer_slot&) = delete;
  answer_slot& operator=(const answer_slot&) = delete;

  void fill(server_response response) {
    if (auto to = std::exchange(to_, nullptr))
      loop_->deliver(std::move(to), serial_, std::move(response));
  }

private:
  std::shared_ptr<loop> loop_;
  std::shared_ptr<connection> to_;
  std::uint64_t serial_;
};

} // namespace postrider::net::server
