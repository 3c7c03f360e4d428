#include "config/schema.hpp"

#include "config/keys.hpp"
#include "config/render.hpp"
#include "config/size.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace postrider::config {

namespace {

using json = nlohmann::ordered_json;

json text(const char* pattern = nullptr) {
  json out{{"type", "string"}};
  if (pattern)
    out["pattern"] = pattern;
  return out;
}

json describe(const text_field& from) {
  auto out = text();
  out["default"] = *from.to;
  return out;
}
json describe(const choice_field& from) {
  return {{"enum", from.words}, {"default", *from.to}};
}
json describe(const count_field& from) {
  return {{"type", "integer"},
          {"minimum", from.low},
          {"maximum", from.high},
          {"default", *from.to}};
}
json describe(const size_field& from) {
  auto out = text("^[0-9]+(B|KiB|MiB|GiB)$");
  out["default"] = render_size(*from.to);
  return out;
}
json describe(const duration_field& from) {
  auto out = text("^([0-9]+(ms|s|m|h|d)|0)$");
  out["default"] = render_duration(*from.to);
  return out;
}
json describe(const number_field& from) {
  return {{"type", "number"},
          {"minimum", from.low},
          {"maximum", from.high},
          {"default", *from.to}};
}
json describe(const durations_field& from) {
  auto waits = json::array();
  for (const auto& one : *from.to)
    waits.push_back(render_duration(one));
  return {{"type", "array"},
          {"items", text("^[0-9]+(ms|s|m|h|d)$")},
          {"minItems", 1},
          {"maxItems", from.most},
          {"default", waits}};
}
json describe(const listen_field& from) {
  auto out = text(R"(^([0-9.]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}$)");
  out["default"] = to_string(*from.to);
  return out;
}
json describe(const networks_field& from) {
  return {{"type", "array"},
          {"items", text("^[0-9a-fA-F:.]+(/[0-9]{1,3})?$")},
          {"default", *from.to}};
}
json describe(const ports_field& from) {
  return {{"type", "array"},
          {"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", 65'535}}},
          {"default", *from.to}};
}
json describe(const secret_field&) {
  return text();
}

std::string description(const key& one) {
  auto out = one.comment;
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out
         + (one.when == applies::on_reload ? " In force after a reload."
                                           : " In force after a restart.");
}

void add(const key& one, json& section) {
  auto& into = section["properties"];
  auto made =
      std::visit([](const auto& from) { return describe(from); }, one.where);
  made["description"] = description(one);
  const auto* secret = std::get_if<secret_field>(&one.where);
  if (!secret) {
    into[one.name] = std::move(made);
    return;
  }
  const auto twin = one.name + "_file";
  into[twin] = text();
  into[twin]["description"] =
      "The file that holds it, or credential:NAME. " + description(one);
  if (secret->file_only)
    return;
  into[one.name] = std::move(made);
  section["allOf"].push_back({{"not", {{"required", {one.name, twin}}}}});
}

} // namespace

std::string json_schema() {
  config defaults;
  json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
           {"title", "The configuration of Postrider"},
           {"type", "object"},
           {"additionalProperties", false},
           {"properties",
            {{"include",
              {{"description", "Further files, relative to this one; what they "
                               "set wins, in the order of their names."},
               {"type", "array"},
               {"items", {{"type", "string"}, {"minLength", 1}}}}}}}};
  for (const auto& one : keys_of(defaults)) {
    auto& section = out["properties"][one.section];
    if (section.is_null())
      section = {{"type", "object"}, {"additionalProperties", false}};
    add(one, section);
  }
  return out.dump(2) + "\n";
}

} // namespace postrider::config
