#pragma once

#include "tests/support/postgres.hpp"

#include <future>
#include <vector>

namespace postrider::testing {

/// Runs `what` with each item at the same time: fault runs mostly wait.
template <class Item, class What>
void in_parallel(const std::vector<Item>& items, What what) {
  // It dies with the thread that has started it.
  postgres_server::shared();
  std::vector<std::future<void>> all;
  for (const auto& item : items)
    all.push_back(std::async(std::launch::async, [&] { what(item); }));
  for (auto& one : all)
    one.get();
}

} // namespace postrider::testing
