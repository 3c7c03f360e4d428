#include "core/lines.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace postrider {

void lines::configure(std::int64_t endpoint, ordering order,
                      int max_in_flight) {
  auto& of = lanes_[endpoint];
  of.order = order;
  of.limit = std::max(1, max_in_flight);
  // A line that was held back by `fifo` may go on under `none`.
  for (auto& [stream, in] : of.streams)
    offer(endpoint, of, stream, in);
  queue(endpoint, of); // the limit may have been raised
}

void lines::allow(std::int64_t endpoint, int attempts) {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end())
    return;
  found->second.allowed = attempts;
  queue(endpoint, found->second);
}

void lines::block(std::int64_t endpoint, bool yes) {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end())
    return;
  found->second.blocked = yes;
  queue(endpoint, found->second);
}

int lines::wanted(std::int64_t endpoint) const {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end() || found->second.allowed != 0)
    return 0;
  const auto& of = found->second;
  const auto room = std::max(0, of.limit - of.in_flight);
  if (of.order == ordering::fifo)
    return std::min(room, static_cast<int>(of.ready.size()));
  std::size_t waiting = 0;
  for (const auto stream : of.ready)
    if (const auto place = of.streams.find(stream); place != of.streams.end())
      waiting += place->second.waiting.size();
  return static_cast<int>(std::min<std::size_t>(waiting, room));
}

void lines::add(const delivery& waiting) {
  auto& of = lanes_[waiting.endpoint];
  auto& in = of.streams[waiting.stream];
  auto place = in.waiting.end();
  while (place != in.waiting.begin() && std::prev(place)->id > waiting.id)
    --place;
  in.waiting.insert(place, waiting);
  ++waiting_;
  offer(waiting.endpoint, of, waiting.stream, in);
}

std::optional<delivery> lines::take() {
  while (!turn_.empty()) {
    const auto endpoint = turn_.front();
    turn_.pop_front();
    const auto found = lanes_.find(endpoint);
    if (found == lanes_.end())
      continue;
    auto& of = found->second;
    of.in_turn = false;
    if (!may_start(of))
      continue;
    while (!of.ready.empty()) {
      const auto stream = of.ready.front();
      of.ready.pop_front();
      const auto place = of.streams.find(stream);
      if (place == of.streams.end())
        continue;
      auto& in = place->second;
      in.ready = false;
      if (in.waiting.empty() || (in.out > 0 && of.order == ordering::fifo))
        continue;
      auto next = in.waiting.front();
      in.waiting.pop_front();
      ++in.out;
      --waiting_;
      ++in_flight_;
      ++of.in_flight;
      if (of.allowed > 0)
        --of.allowed;
      offer(endpoint, of, stream, in);
      queue(endpoint, of);
      return next;
    }
    forget_if_idle(endpoint);
  }
  return std::nullopt;
}

void lines::adopt(const delivery& taken) {
  auto& of = lanes_[taken.endpoint];
  ++of.streams[taken.stream].out;
  ++of.in_flight;
  ++in_flight_;
}

void lines::put_back(const delivery& taken) {
  if (const auto found = lanes_.find(taken.endpoint);
      found != lanes_.end() && found->second.allowed >= 0)
    ++found->second.allowed;
  // First the delivery, so that its line is never empty and its lane stays.
  add(taken);
  finish(taken.endpoint, taken.stream);
}

void lines::finish(std::int64_t endpoint, std::int64_t stream) {
  const auto found = lanes_.find(endpoint);
  assert(found != lanes_.end() && found->second.in_flight > 0);
  auto& of = found->second;
  --of.in_flight;
  --in_flight_;
  if (const auto place = of.streams.find(stream); place != of.streams.end()) {
    auto& in = place->second;
    --in.out;
    if (in.out == 0 && in.waiting.empty())
      of.streams.erase(place);
    else
      offer(endpoint, of, stream, in);
  }
  queue(endpoint, of);
  forget_if_idle(endpoint);
}

std::vector<delivery> lines::clear(std::int64_t endpoint) {
  std::vector<delivery> out;
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end())
    return out;
  auto& of = found->second;
  for (auto place = of.streams.begin(); place != of.streams.end();) {
    auto& in = place->second;
    out.insert(out.end(), in.waiting.begin(), in.waiting.end());
    in.waiting.clear();
    in.ready = false;
    place = in.out > 0 ? std::next(place) : of.streams.erase(place);
  }
  of.ready.clear();
  waiting_ -= out.size();
  forget_if_idle(endpoint);
  return out;
}

std::vector<delivery> lines::clear() {
  std::vector<std::int64_t> endpoints;
  endpoints.reserve(lanes_.size());
  for (const auto& [endpoint, of] : lanes_)
    endpoints.push_back(endpoint);
  std::vector<delivery> out;
  for (const auto endpoint : endpoints) {
    auto some = clear(endpoint);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

void lines::offer(std::int64_t endpoint, lane& of, std::int64_t stream,
                  line& in) {
  if (in.ready || in.waiting.empty())
    return;
  if (in.out > 0 && of.order == ordering::fifo)
    return;
  in.ready = true;
  of.ready.push_back(stream);
  queue(endpoint, of);
}

void lines::queue(std::int64_t endpoint, lane& of) {
  if (of.in_turn || of.ready.empty() || !may_start(of))
    return;
  of.in_turn = true;
  turn_.push_back(endpoint);
}

void lines::forget_if_idle(std::int64_t endpoint) {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end())
    return;
  const auto& of = found->second;
  if (of.in_flight == 0 && of.streams.empty() && !of.in_turn)
    lanes_.erase(found);
}

} // namespace postrider
