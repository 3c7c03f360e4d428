#include "app/api/header_body.hpp"

#include "app/api/object_reader.hpp"
#include "core/header_names.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

constexpr std::size_t longest_value = 4096;

} // namespace

std::vector<header> read_headers(const json_value& object,
                                 const std::string& at, faults& found,
                                 null_member nulls) {
  std::vector<header> result;
  if (object.kind != json_kind::object) {
    found.add(at, "wrong_type",
              "must be an object of names and texts, not "
                  + std::string{describe(object.kind)});
    return result;
  }
  auto members = members_of(object);
  if (members.size() > most_headers) {
    found.add(at, "too_many", "must be at most 50 headers");
    return result;
  }
  for (auto& [name, value] : members) {
    auto pointer = pointer_to(at, name);
    auto same = [&name = name](const header& h) {
      return same_header_name(h.name, name);
    };
    if (std::any_of(result.begin(), result.end(), same)) {
      found.add_duplicate(pointer);
      continue;
    }
    if (value.kind == json_kind::null && nulls == null_member::skipped)
      continue;
    auto text = plain_text(value, longest_value, pointer, found);
    if (!text)
      continue;
    header field{name, std::move(*text)};
    if (auto why = refuse_header(field))
      found.add(pointer, "bad_header", *why);
    else if (is_masked(field) && nulls == null_member::refused)
      found.add(pointer, "bad_header",
                "stands for a value that is not shown; give the value itself");
    else
      result.push_back(std::move(field));
  }
  return result;
}

bool is_masked(const header& field) {
  return field.value == masked_value && is_secret_header(field.name);
}

void refuse_prefix(const std::vector<header>& headers, std::string_view prefix,
                   const std::string& at, faults& found) {
  for (const auto& field : headers)
    if (has_header_prefix(field.name, prefix))
      found.add(pointer_to(at, field.name), "bad_header",
                "the header " + field.name
                    + " is set by Postrider; use another name");
}

} // namespace postrider::api
