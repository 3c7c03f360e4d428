#include "app/bench/arrival_fault.hpp"

namespace postrider::app {

std::optional<arrival_fault> parse_arrival_fault(const std::string& name) {
  if (name == "none")
    return arrival_fault::none;
  if (name == "drop")
    return arrival_fault::drop;
  if (name == "repeat")
    return arrival_fault::repeat;
  if (name == "reorder")
    return arrival_fault::reorder;
  if (name == "forge")
    return arrival_fault::forge;
  return std::nullopt;
}

fault_injector::fault_injector(arrival_fault kind, std::uint64_t seed)
    : kind_{kind}, dice_{seed} {}

void fault_injector::pass(const bench_arrival& one, const consumer& into) {
  switch (kind_) {
  case arrival_fault::none:
  case arrival_fault::forge:
    into(one);
    return;
  case arrival_fault::drop:
    if (!strikes())
      into(one);
    return;
  case arrival_fault::repeat:
    into(one);
    if (strikes())
      into(one);
    return;
  case arrival_fault::reorder:
    break;
  }
  const auto kept = kept_.find(one.endpoint);
  if (kept == kept_.end() && strikes()) {
    kept_.emplace(one.endpoint, one);
    return;
  }
  into(one);
  if (kept != kept_.end()) {
    into(kept->second);
    kept_.erase(kept);
  }
}

bool fault_injector::forges() {
  return kind_ == arrival_fault::forge && strikes();
}

} // namespace postrider::app
