#include "app/api/object_reader.hpp"

#include "config/nearest.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace postrider::api {

namespace {

constexpr std::size_t longest_name = 64;

std::string unknown_detail(const std::string& name,
                           std::span<const std::string> known) {
  std::string detail = "is not known here";
  if (name.size() <= longest_name)
    detail += config::did_you_mean(name, known);
  return detail;
}

} // namespace

object_reader::object_reader(const json_value& object,
                             std::span<const std::string> known, faults& out,
                             std::string at)
    : members_{members_of(object)}, faults_{out}, at_{std::move(at)} {
  std::vector<bool> seen(known.size());
  for (const auto& [key, value] : members_) {
    auto found = std::find(known.begin(), known.end(), key);
    auto index = static_cast<std::size_t>(found - known.begin());
    if (found == known.end())
      // The rest is only counted: looking for near names costs.
      out.add(pointer_to(at_, key), "unknown_member",
              out.full() ? std::string{} : unknown_detail(key, known));
    else if (seen[index])
      out.add_duplicate(pointer_to(at_, key));
    else
      seen[index] = true;
  }
}

const json_value* object_reader::find(std::string_view name) const {
  for (const auto& member : members_)
    if (member.key == name)
      return &member.value;
  return nullptr;
}

bool object_reader::is_null(std::string_view name) const {
  auto* value = find(name);
  return value && value->kind == json_kind::null;
}

const json_value* object_reader::present(std::string_view name) const {
  return is_null(name) ? nullptr : find(name);
}

std::string object_reader::at(std::string_view name) const {
  return pointer_to(at_, name);
}

void object_reader::fail(std::string_view name, std::string_view code,
                         std::string detail) {
  faults_.add(at(name), code, std::move(detail));
}

void object_reader::wrong_type(std::string_view name,
                               const std::string& wanted) {
  auto* value = find(name);
  fail(name, "wrong_type",
       "must be " + wanted + ", not "
           + std::string{describe(value ? value->kind : json_kind::null)});
}

std::optional<std::string> plain_text(const json_value& value,
                                      std::size_t longest,
                                      const std::string& pointer, faults& out) {
  if (value.kind != json_kind::string) {
    out.add(pointer, "wrong_type",
            "must be a string, not " + std::string{describe(value.kind)});
    return {};
  }
  auto text = unescape(value);
  if (!text || text->find('\0') != text->npos) {
    out.add(pointer, "bad_text",
            "holds an unpaired surrogate or a NUL character");
    return {};
  }
  if (text->size() > longest) {
    out.add(pointer, "too_long",
            "must be at most " + std::to_string(longest) + " bytes");
    return {};
  }
  return text;
}

std::optional<std::string> object_reader::text(std::string_view name,
                                               std::size_t longest) {
  auto* value = present(name);
  if (!value)
    return {};
  auto text = plain_text(*value, longest, at(name), faults_);
  if (text && text->empty()) {
    fail(name, "too_short", "must not be empty; leave it out instead");
    return {};
  }
  return text;
}

std::string object_reader::required_text(std::string_view name,
                                         std::size_t longest) {
  if (!present(name)) {
    fail(name, "required", "is missing");
    return {};
  }
  return text(name, longest).value_or("");
}

std::optional<int> object_reader::whole(std::string_view name, int lowest,
                                        int highest) {
  auto* value = present(name);
  if (!value)
    return {};
  int number = 0;
  auto* end = value->text.data() + value->text.size();
  auto [stop, error] = std::from_chars(value->text.data(), end, number);
  if (value->kind == json_kind::number && error == std::errc{} && stop == end
      && number >= lowest && number <= highest)
    return number;
  if (value->kind != json_kind::number)
    wrong_type(name, "a whole number");
  else
    fail(name, "out_of_range",
         "must be a whole number from " + std::to_string(lowest) + " to "
             + std::to_string(highest));
  return {};
}

std::optional<double> object_reader::number(std::string_view name,
                                            double lowest, double highest) {
  return number(name, lowest, highest, "");
}

std::optional<std::int64_t>
object_reader::seconds(std::string_view name, double lowest, double highest) {
  const auto value = number(name, lowest, highest, "seconds");
  if (!value)
    return {};
  return std::llround(*value * 1000);
}

std::optional<double> object_reader::number(std::string_view name,
                                            double lowest, double highest,
                                            std::string_view unit) {
  auto* value = present(name);
  if (!value)
    return {};
  if (value->kind != json_kind::number) {
    wrong_type(name,
               unit.empty() ? "a number" : "a number of " + std::string{unit});
    return {};
  }
  double number = 0;
  auto* end = value->text.data() + value->text.size();
  auto [stop, error] = std::from_chars(value->text.data(), end, number);
  if (error == std::errc{} && stop == end && number >= lowest
      && number <= highest)
    return number;
  auto shown = [](double bound) {
    auto text = std::to_string(bound);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
      text.pop_back();
    return text;
  };
  fail(name, "out_of_range",
       "must be from " + shown(lowest) + " to " + shown(highest)
           + (unit.empty() ? "" : " " + std::string{unit}));
  return {};
}

} // namespace postrider::api
