#include "app/api/retry_body.hpp"

#include "core/retry.hpp"

namespace postrider::api {

namespace {

constexpr std::size_t longest_retry = 1024;
constexpr std::size_t longest_part = 32;

const std::vector<std::string> members{"waits", "max_attempts", "jitter",
                                       "max_age"};

std::optional<std::string> join_waits(const json_value& list,
                                      const std::string& at, faults& found) {
  std::string joined;
  std::size_t index = 0;
  for (const auto& element : elements_of(list)) {
    const auto pointer = pointer_to(at, std::to_string(index++));
    const auto wait = plain_text(element, longest_part, pointer, found);
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

/// Adds ` option=…`; a text that would be more than one word is refused.
void add_option(object_reader& from, const std::string& name,
                std::string& into) {
  const auto text = from.text(name, longest_part);
  if (!text)
    return;
  if (text->find_first_of(" =") != text->npos)
    return from.fail(name, "bad_retry",
                     name == "jitter" ? "must be such as 20% or 50-150%"
                                      : "must be an age such as 24h");
  into += (into.empty() ? "" : " ") + name + "=" + *text;
}

/// The text of an object; nothing when it is no policy.
std::optional<std::string> read_object(const json_value& value,
                                       const std::string& at, faults& found) {
  const auto before = found.count();
  object_reader from{value, members, found, at};
  std::string text;
  if (const auto* waits = from.find("waits");
      waits && waits->kind == json_kind::array)
    text = join_waits(*waits, from.at("waits"), found).value_or("");
  else if (waits && waits->kind != json_kind::null)
    from.wrong_type("waits", "an array of waits");
  if (const auto attempts = from.whole("max_attempts", 1, 100))
    text +=
        (text.empty() ? "attempts=" : " attempts=") + std::to_string(*attempts);
  add_option(from, "jitter", text);
  add_option(from, "max_age", text);
  if (found.count() != before)
    return {};
  const auto read = read_retry_policy(text);
  if (const auto* fault = std::get_if<retry_fault>(&read)) {
    from.fail(fault->field == "attempts" ? "max_attempts" : fault->field,
              "bad_retry", fault->what);
    return {};
  }
  return text;
}

} // namespace

std::optional<std::string> read_retry(object_reader& body, faults& found) {
  const auto* value = body.find("retry");
  if (value && value->kind == json_kind::object)
    return read_object(*value, body.at("retry"), found);
  auto text = value && value->kind == json_kind::array
                  ? join_waits(*value, body.at("retry"), found)
                  : body.text("retry", longest_retry);
  if (!text)
    return {};
  const auto read = read_retry_policy(*text);
  if (const auto* fault = std::get_if<retry_fault>(&read)) {
    body.fail("retry", "bad_retry", fault->what);
    return {};
  }
  return text;
}

} // namespace postrider::api
