#include "app/api/query.hpp"

#include "app/api/list.hpp"
#include "app/api/rfc3339.hpp"
#include "app/api/utf8.hpp"
#include "config/nearest.hpp"

#include <algorithm>
#include <charconv>

namespace postrider::api {

namespace {

constexpr int highest_limit = 250;

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%') {
      unsigned byte = 0;
      auto* first = text.data() + i + 1;
      if (text.size() - i < 3
          || std::from_chars(first, first + 2, byte, 16).ptr != first + 2)
        return {};
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  if (find_invalid_utf8(out) != out.npos || out.find('\0') != out.npos)
    return {};
  return out;
}

problem unknown_parameter(const std::string& name,
                          const std::vector<std::string>& names) {
  auto shown = name.substr(0, 64);
  return bad_query("the parameter `" + shown + "` is not known here"
                   + config::did_you_mean(shown, names));
}

} // namespace

problem bad_query(std::string detail) {
  return {400, "bad_query", std::move(detail), {}, {}};
}

std::optional<std::string> query_values::find(std::string_view name) const {
  for (const auto& [key, value] : pairs_)
    if (key == name)
      return value;
  return {};
}

std::variant<query_values, problem>
read_query(const call& of, std::initializer_list<std::string_view> known,
           std::initializer_list<std::string_view> also) {
  std::vector<std::string> names{known.begin(), known.end()};
  names.insert(names.end(), also.begin(), also.end());
  query_values result;
  auto rest = of.query;
  while (!rest.empty()) {
    auto end = std::min(rest.find('&'), rest.size());
    auto pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto equals = std::min(pair.find('='), pair.size());
    auto name = decoded(pair.substr(0, equals));
    auto value = decoded(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value)
      return bad_query("a parameter is not percent-encoded UTF-8");
    if (std::find(names.begin(), names.end(), *name) == names.end())
      return unknown_parameter(*name, names);
    if (value->empty())
      return bad_query("the parameter `" + *name + "` is empty");
    if (result.find(*name))
      return bad_query("the parameter `" + *name + "` is given twice");
    result.pairs_.emplace_back(std::move(*name), std::move(*value));
  }
  return result;
}

std::variant<list_place, problem> read_place(const query_values& query,
                                             std::string_view list,
                                             std::size_t numbers) {
  list_place place;
  if (auto limit = query.find("limit")) {
    auto* end = limit->data() + limit->size();
    auto [stop, error] = std::from_chars(limit->data(), end, place.limit);
    if (error != std::errc{} || stop != end || place.limit < 1
        || place.limit > highest_limit)
      return bad_query("limit must be a whole number from 1 to 250");
  }
  if (auto cursor = query.find("cursor")) {
    auto key = read_cursor(list, *cursor);
    if (!key || (numbers != 0 && !numbers_of(*key, numbers))
        || (numbers == 1 && numbers_of(*key, 1)->front() <= 0))
      return problem{400,
                     "bad_cursor",
                     "take the cursor from next_cursor of a page of this list",
                     {},
                     {}};
    place.key = std::move(*key);
  }
  return place;
}

store::page page_at(const list_place& place) {
  store::page page;
  page.limit = place.limit;
  if (auto numbers = numbers_of(place.key, 1))
    page.before = numbers->front();
  return page;
}

std::string key_after(std::int64_t next) {
  return next == 0 ? std::string{} : key_of({next});
}

std::optional<problem> read_span(const query_values& query,
                                 std::optional<time_ms>& since,
                                 std::optional<time_ms>& until) {
  for (auto [name, into] :
       {std::pair{"since", &since}, std::pair{"until", &until}}) {
    const auto text = query.find(name);
    if (!text)
      continue;
    *into = parse_rfc3339(*text);
    if (!*into)
      return bad_query(std::string{name}
                       + " must be a time such as 2026-11-29T20:11:04Z");
  }
  return std::nullopt;
}

std::variant<std::optional<uuid>, problem>
read_endpoint_id(const query_values& query) {
  auto text = query.find("endpoint");
  if (!text)
    return std::optional<uuid>{};
  auto id = parse_endpoint_id(*text);
  if (!id)
    return bad_query("endpoint must be an id such as ep_…");
  return id;
}

} // namespace postrider::api
