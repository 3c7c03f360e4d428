#include "app/api/endpoint_fields.hpp"

#include "app/api/names.hpp"
#include "core/retry.hpp"
#include "core/url.hpp"

namespace postrider::api {

namespace {

constexpr std::size_t longest_url = 2048;
constexpr std::size_t longest_description = 1024;
constexpr std::size_t most_patterns = 100;
constexpr std::size_t longest_retry = 1024;

void read_url(object_reader& body, const address_guard& guard,
              store::endpoint_fields& fields) {
  auto text = body.text("url", longest_url);
  if (!text)
    return;
  auto parsed = parse_url(*text);
  if (auto* fault = std::get_if<url_fault>(&parsed))
    return body.fail("url", "bad_url", fault->what);
  const auto& target = std::get<url>(parsed);
  if (auto why = guard.refuse_port(target.port))
    return body.fail("url", "address_blocked",
                     "port " + std::to_string(target.port)
                         + " may not be called");
  if (target.literal)
    if (auto address = parse_ip(target.host))
      if (auto why = guard.refuse(*address))
        return body.fail("url", "address_blocked",
                         target.host
                             + " may not be called: " + std::string{*why});
  // No network that is not public may be called: it could only be refused
  // later, at every delivery.
  if (target.local_name() && guard.allow.empty())
    return body.fail("url", "address_blocked",
                     target.host
                         + " is a name inside a network, and none may be "
                           "called (guard.allow)");
  fields.url = std::move(*text);
}

void read_types(object_reader& body, store::endpoint_fields& fields,
                faults& found) {
  auto* value = body.find("types");
  if (!value || value->kind == json_kind::null)
    return;
  if (value->kind != json_kind::array)
    return body.wrong_type("types", "an array of patterns");
  auto elements = elements_of(*value);
  if (elements.empty() || elements.size() > most_patterns)
    return body.fail("types", "out_of_range", "must be 1 to 100 patterns");
  std::vector<std::string> types;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    auto pointer = pointer_to(body.at("types"), std::to_string(i));
    auto text = plain_text(elements[i], 255, pointer, found);
    if (text && !is_type_pattern(*text))
      found.add(pointer, "bad_pattern",
                "must be an event type, one that ends in .*, or *");
    else if (text)
      types.push_back(std::move(*text));
  }
  fields.types = std::move(types);
}

/// A list may come as an array too: it is kept as one text.
std::optional<std::string> retry_text(object_reader& body, faults& found) {
  auto* value = body.find("retry");
  if (!value || value->kind != json_kind::array)
    return body.text("retry", longest_retry);
  std::string joined;
  std::size_t index = 0;
  for (const auto& element : elements_of(*value)) {
    auto pointer = pointer_to(body.at("retry"), std::to_string(index++));
    auto wait = plain_text(element, 32, pointer, found);
    if (!wait)
      return {};
    if (!parse_duration(*wait)) {
      found.add(pointer, "bad_wait", "must be a wait such as 30s, 5m or 2h");
      return {};
    }
    joined += joined.empty() ? "" : " ";
    joined += *wait;
  }
  return joined;
}

void read_retry(object_reader& body, store::endpoint_fields& fields,
                faults& found) {
  auto text = retry_text(body, found);
  if (!text)
    return;
  if (parse_retry_policy(*text)) {
    fields.retry = std::move(*text);
    return;
  }
  std::string names;
  for (auto name : retry_policy_names())
    names.append(name).append(", ");
  body.fail("retry", "bad_retry",
            "must be one of " + names + "or a list of waits such as 5s 30s 5m");
}

std::optional<std::string> read_choice(object_reader& body,
                                       std::string_view name,
                                       std::string_view first,
                                       std::string_view second) {
  auto text = body.text(name);
  if (!text || *text == first || *text == second)
    return text;
  body.fail(name, "unknown_value",
            "must be " + std::string{first} + " or " + std::string{second});
  return {};
}

std::optional<std::chrono::milliseconds>
read_timeout(object_reader& body, std::string_view name, double lowest) {
  auto value = body.seconds(name, lowest, 60);
  if (!value)
    return {};
  return std::chrono::milliseconds{*value};
}

} // namespace

store::endpoint_fields read_fields(object_reader& body,
                                   const address_guard& guard, faults& found) {
  store::endpoint_fields fields;
  read_url(body, guard, fields);
  read_types(body, fields, found);
  read_retry(body, fields, found);
  fields.description = body.text("description", longest_description);
  fields.ordering = read_choice(body, "ordering", "none", "fifo");
  fields.ordering_key = read_choice(body, "ordering_key", "endpoint", "event");
  fields.max_in_flight = body.whole("max_in_flight", 1, 1000);
  fields.timeout = read_timeout(body, "timeout_seconds", 1);
  fields.connect_timeout = read_timeout(body, "connect_timeout_seconds", 0.1);
  return fields;
}

} // namespace postrider::api
