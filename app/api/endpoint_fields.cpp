#include "app/api/endpoint_fields.hpp"

#include "app/api/names.hpp"
#include "app/api/retry_body.hpp"
#include "config/nearest.hpp"
#include "core/health.hpp"
#include "core/retry_statuses.hpp"
#include "core/url.hpp"

namespace postrider::api {

namespace {

constexpr std::size_t longest_url = 2048;
constexpr std::size_t longest_description = 1024;
constexpr std::size_t most_patterns = 100;

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

std::optional<std::string> read_statuses(object_reader& body) {
  auto text = body.text("retry_statuses");
  if (!text)
    return {};
  const auto read = parse_retry_statuses(*text);
  if (const auto* what = std::get_if<std::string>(&read)) {
    body.fail("retry_statuses", "bad_statuses", *what);
    return {};
  }
  return text;
}

std::optional<std::string> read_policy(object_reader& body) {
  auto text = body.text("health_policy");
  if (!text || find_health_policy(*text))
    return text;
  std::vector<std::string> names;
  std::string list;
  for (const auto name : health_policy_names()) {
    list.append(list.empty() ? "" : ", ").append(name);
    names.emplace_back(name);
  }
  body.fail("health_policy", "unknown_value",
            "must be one of " + list + config::did_you_mean(*text, names));
  return {};
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
  fields.retry = read_retry(body, found);
  fields.retry_statuses = read_statuses(body);
  fields.health_policy = read_policy(body);
  fields.rate = body.number("rate", 0.001, 100'000);
  fields.description = body.text("description", longest_description);
  fields.ordering = read_choice(body, "ordering", "none", "fifo");
  fields.ordering_key = read_choice(body, "ordering_key", "endpoint", "event");
  fields.max_in_flight = body.whole("max_in_flight", 1, 1000);
  fields.timeout = read_timeout(body, "timeout_seconds", 1);
  fields.connect_timeout = read_timeout(body, "connect_timeout_seconds", 0.1);
  return fields;
}

} // namespace postrider::api
