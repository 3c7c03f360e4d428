#include "store/header_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace postrider::store {

namespace {

std::optional<header> read_one(const nlohmann::json& entry) {
  if (!entry.is_object())
    return std::nullopt;
  const auto name = entry.find("name");
  const auto value = entry.find("value");
  if (name == entry.end() || !name->is_string() || value == entry.end()
      || !value->is_string())
    return std::nullopt;
  header found{name->get<std::string>(), value->get<std::string>()};
  if (refuse_header(found))
    return std::nullopt;
  return found;
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
  for (const auto& entry : parsed)
    if (auto one = read_one(entry))
      out.push_back(*std::move(one));
  return out;
}

std::optional<std::vector<header>> parse_whole_headers(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_array())
    return std::nullopt;
  std::vector<header> out;
  for (const auto& entry : parsed) {
    auto one = read_one(entry);
    if (!one)
      return std::nullopt;
    out.push_back(*std::move(one));
  }
  return out;
}

} // namespace postrider::store
