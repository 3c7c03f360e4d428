#include "app/api/health_body.hpp"

#include "app/api/object_reader.hpp"
#include "config/nearest.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

const std::vector<std::string> members{"reason"};
constexpr std::ptrdiff_t most_characters = 500;
constexpr std::size_t longest_character = 4;

// In the order of `store::health_filter`.
const std::vector<std::string> filters{"healthy", "degraded", "suspended",
                                       "disabled", "paused"};

/// C0, DEL and C1, which is what a terminal may obey.
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f)
      return true;
    if (byte == 0xc2 && i + 1 < text.size()
        && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return true;
  }
  return false;
}

std::ptrdiff_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  });
}

} // namespace

std::variant<std::string, problem> read_reason(const call& request) {
  if (request.request.body.empty())
    return std::string{};
  auto text = read_json(request.request.body);
  if (auto* fault = std::get_if<json_fault>(&text))
    return malformed_json(*fault);
  const auto& value = std::get<json_value>(text);
  faults found;
  std::string reason;
  if (value.kind == json_kind::object) {
    object_reader body{value, members, found};
    reason =
        body.text("reason", most_characters * longest_character).value_or("");
    if (characters(reason) > most_characters)
      body.fail("reason", "too_long", "must be at most 500 characters");
    else if (has_control(reason))
      body.fail("reason", "bad_text", "must hold no control character");
  } else {
    found.add("", "wrong_type",
              "must be an object, not " + std::string{describe(value.kind)});
  }
  if (!found.empty())
    return invalid_body(found);
  return reason;
}

std::variant<std::optional<store::health_filter>, problem>
read_health_filter(const query_values& query) {
  const auto text = query.find("health");
  if (!text)
    return std::optional<store::health_filter>{};
  const auto found = std::find(filters.begin(), filters.end(), *text);
  if (found == filters.end())
    return bad_query("health must be healthy, degraded, suspended, disabled or "
                     "paused"
                     + config::did_you_mean(text->substr(0, 64), filters));
  return std::optional{
      static_cast<store::health_filter>(found - filters.begin())};
}

} // namespace postrider::api
