#include "app/api/query.hpp"

#include "app/api/cursor.hpp"
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
                          std::initializer_list<std::string_view> known) {
  std::vector<std::string> names{known.begin(), known.end()};
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
read_query(const call& of, std::initializer_list<std::string_view> known) {
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
    if (std::find(known.begin(), known.end(), *name) == known.end())
      return unknown_parameter(*name, known);
    if (value->empty())
      return bad_query("the parameter `" + *name + "` is empty");
    if (result.find(*name))
      return bad_query("the parameter `" + *name + "` is given twice");
    result.pairs_.emplace_back(std::move(*name), std::move(*value));
  }
  return result;
}

std::variant<store::page, problem> read_page(const query_values& query,
                                             std::string_view list) {
  store::page page;
  if (auto limit = query.find("limit")) {
    auto* end = limit->data() + limit->size();
    auto [stop, error] = std::from_chars(limit->data(), end, page.limit);
    if (error != std::errc{} || stop != end || page.limit < 1
        || page.limit > highest_limit)
      return bad_query("limit must be a whole number from 1 to 250");
  }
  if (auto cursor = query.find("cursor")) {
    auto key = read_cursor(list, *cursor);
    if (!key || *key <= 0)
      return problem{400,
                     "bad_cursor",
                     "take the cursor from next_cursor of a page of this list",
                     {},
                     {}};
    page.before = *key;
  }
  return page;
}

} // namespace postrider::api
