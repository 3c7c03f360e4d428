#include "app/line_limit.hpp"

#include <utility>

namespace postrider::app {

line_limit::verdict line_limit::judge(std::string_view speaker,
                                      time_point now) {
  auto place = speakers_.find(speaker);
  if (place == speakers_.end())
    place = speakers_.emplace(std::string{speaker}, record{now}).first;
  auto& of = place->second;
  if (now - of.from >= std::chrono::seconds{1}) {
    of.from = now;
    of.said = 0;
  }
  if (of.said == most_) {
    ++of.left_out;
    return {false, 0};
  }
  ++of.said;
  return {true, std::exchange(of.left_out, 0)};
}

} // namespace postrider::app
