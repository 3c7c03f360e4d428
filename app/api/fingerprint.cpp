#include "app/api/event_body.hpp"
#include "core/signature.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

/// The length in front keeps `a`,`bc` apart from `ab`,`c`.
void append(std::string& out, std::string_view part) {
  out += std::to_string(part.size());
  out += ':';
  out += part;
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

} // namespace

std::string fingerprint_of(const new_event& event) {
  std::string text;
  text.reserve(event.payload.size() + 256);
  append(text, event.type);
  append(text, event.kind == event_kind::command ? "command" : "event");
  append(text, event.payload);
  append(text, event.content_type);
  append(text, event.ordering_key);
  std::vector<header> headers;
  for (const auto& field : event.headers)
    headers.push_back({lower(field.name), field.value});
  std::sort(headers.begin(), headers.end(),
            [](const header& a, const header& b) { return a.name < b.name; });
  for (const auto& field : headers) {
    append(text, field.name);
    append(text, field.value);
  }
  return sha256(text);
}

} // namespace postrider::api
