#include "store/header_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace postrider::store {

namespace {

void add(std::vector<header>& out, const nlohmann::json& name,
         const nlohmann::json& value) {
  if (!name.is_string() || !value.is_string())
    return;
  header candidate{name.get<std::string>(), value.get<std::string>()};
  if (!refuse_header(candidate))
    out.push_back(std::move(candidate));
}

} // namespace

std::string format_headers(std::span<const header> headers) {
  auto out = nlohmann::json::array();
  for (const auto& [name, value] : headers)
    out.push_back({{"name", name}, {"value", value}});
  // Values are ASCII by rule; anything else would be refused when read.
  return out.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::vector<header> parse_headers(std::string_view json) {
  std::vector<header> out;
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_array())
    return out;
  for (const auto& entry : parsed) {
    if (entry.is_object() && entry.contains("name") && entry.contains("value"))
      add(out, entry["name"], entry["value"]);
  }
  return out;
}

} // namespace postrider::store
