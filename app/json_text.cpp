#include "app/json_text.hpp"

#include "app/api/json_text.hpp"
#include "app/api/json_writer.hpp"

#include <fmt/format.h>

#include <variant>

namespace postrider::app {

std::string json_quote(std::string_view text) {
  api::json_writer writer;
  writer.string(text);
  return writer.take();
}

std::string json_fault(std::string_view text) {
  const auto read = api::read_json(text);
  const auto* fault = std::get_if<api::json_fault>(&read);
  return fault ? fmt::format("{} at byte {}", fault->what, fault->offset + 1)
               : std::string{};
}

std::string json_member(std::string_view object, std::string_view name) {
  const auto read = api::read_json(object);
  const auto* root = std::get_if<api::json_value>(&read);
  if (!root || root->kind != api::json_kind::object)
    return {};
  for (const auto& one : api::members_of(*root)) {
    if (one.key != name)
      continue;
    if (one.value.kind == api::json_kind::string)
      return api::unescape(one.value).value_or("");
    if (one.value.kind == api::json_kind::number)
      return std::string{one.value.text};
  }
  return {};
}

} // namespace postrider::app
