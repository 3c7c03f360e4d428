#include "app/dev/demo_event.hpp"

#include "app/json_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace postrider::app {

namespace {

constexpr std::uint64_t keys = 50; // divided by ten: no key goes both ways
constexpr std::array types{"order.created", "order.paid", "order.shipped"};

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace

demo_event make_demo_event(const std::string& run, std::uint64_t number) {
  demo_event made;
  made.id = fmt::format("{}-{}", run, number);
  made.type = types[number % types.size()];
  made.ordering_key = fmt::format("order-{}", number % keys);
  made.payload = fmt::format(
      R"({{"order":"{}","total":"{}.{:02}","currency":"EUR","number":{},"run":"{}","made_us":{}}})",
      made.ordering_key, 10 + number % 90, number % 100, number, run, now());
  return made;
}

demo_mark read_demo_mark(const std::string& run, const std::string& payload) {
  demo_mark mark;
  if (json_member(payload, "run") != run)
    return mark;
  mark.ours = true;
  mark.ordering_key = json_member(payload, "order");
  const auto made = json_member(payload, "made_us");
  mark.age = std::chrono::microseconds{
      now() - std::strtoll(made.c_str(), nullptr, 10)};
  return mark;
}

} // namespace postrider::app
