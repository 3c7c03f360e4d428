#include "app/api/media.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

} // namespace

std::string media_type_of(const call& request) {
  auto type = request.request.find("content-type");
  if (!type)
    return "application/json";
  return lower(trimmed(type->substr(0, type->find(';'))));
}

std::optional<problem>
refuse_media_type(const call& request,
                  std::initializer_list<std::string_view> known) {
  auto full = lower(request.request.find("content-type").value_or(""));
  auto charset = full.find("charset=");
  auto unicode =
      charset == full.npos || full.find("utf-8", charset) != full.npos;
  auto type = media_type_of(request);
  if (unicode && std::find(known.begin(), known.end(), type) != known.end())
    return {};
  std::string wanted;
  for (auto name : known)
    wanted.append(wanted.empty() ? "" : " or ").append(name);
  return problem{415,
                 "unsupported_media_type",
                 "send the body as " + wanted + " in UTF-8",
                 {},
                 {}};
}

std::optional<problem> refuse_accept(const call& request) {
  auto accept = request.request.find("accept");
  if (!accept)
    return {};
  auto ranges = lower(*accept);
  for (auto good :
       {"*/*", "application/*", "application/json", "application/problem+json"})
    if (ranges.find(good) != ranges.npos)
      return {};
  return problem{406,
                 "not_acceptable",
                 "answers are application/json; accept that",
                 {},
                 {}};
}

} // namespace postrider::api
