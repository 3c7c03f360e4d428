#include "app/client/output.hpp"

#include "app/api/json_text.hpp"
#include "app/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <unistd.h>

namespace postrider::app {

namespace {

std::optional<api::json_value> find(const api::json_value& object,
                                    std::string_view path) {
  if (object.kind != api::json_kind::object)
    return {};
  const auto dot = path.find('.');
  for (const auto& one : api::members_of(object))
    if (one.key == path.substr(0, dot))
      return dot == path.npos ? std::optional{one.value}
                              : find(one.value, path.substr(dot + 1));
  return {};
}

std::string text_of(const api::json_value& value) {
  switch (value.kind) {
  case api::json_kind::null:
    return "-";
  case api::json_kind::string: {
    auto text = printable(api::unescape(value).value_or(""));
    return text.empty() ? "-" : text;
  }
  case api::json_kind::array: {
    std::string list;
    for (const auto& one : api::elements_of(value))
      list += (list.empty() ? "" : " ") + text_of(one);
    return list.empty() ? "-" : list;
  }
  default:
    return printable(value.text);
  }
}

/// Columns on a screen, near enough: characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
}

void put(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

} // namespace

std::string shown_member(std::string_view object, std::string_view member) {
  const auto read = api::read_json(object);
  const auto* root = std::get_if<api::json_value>(&read);
  if (!root)
    return "-";
  for (std::size_t at = 0; at <= member.size();) {
    const auto end = std::min(member.find('|', at), member.size());
    if (const auto value = find(*root, member.substr(at, end - at)))
      if (auto text = text_of(*value); text != "-")
        return text;
    at = end + 1;
  }
  return "-";
}

bool coloured(const client_options& options) {
  if (options.color != "auto")
    return options.color == "always";
  const auto* term = std::getenv("TERM");
  const auto* no = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 && (!no || *no == '\0') && term
         && std::string_view{term} != "dumb";
}

std::string tinted(std::string_view word, bool colour) {
  const auto paint = [&](int code) {
    return fmt::format("\x1b[{}m{}\x1b[0m", code, word);
  };
  if (!colour)
    return std::string{word};
  if (word == "succeeded" || word == "healthy" || word == "ok")
    return paint(32);
  if (word == "failed" || word == "disabled" || word == "FAIL")
    return paint(31);
  if (word == "retrying" || word == "cancelled" || word == "held"
      || word == "degraded" || word == "suspended" || word == "warn")
    return paint(33);
  return std::string{word};
}

list_output::list_output(const client_options& options,
                         std::vector<column> columns)
    : options_{options}, columns_{std::move(columns)} {}

void list_output::add(std::string_view row) {
  ++count_;
  if (options_.json) {
    json_ += count_ == 1 ? "" : ",\n";
    json_ += row;
    return;
  }
  line cells;
  for (const auto& one : columns_)
    cells.push_back(shown_member(row, one.member));
  if (options_.plain)
    put(fmt::format("{}\n", fmt::join(cells, "\t")));
  else
    lines_.push_back(std::move(cells));
}

void list_output::finish(bool more) {
  if (options_.json)
    return put(fmt::format("{{\"data\":[{}],\"has_more\":{}}}\n", json_, more));
  if (!options_.plain && !lines_.empty()) {
    const bool colour = coloured(options_);
    line heading;
    for (const auto& one : columns_)
      heading.emplace_back(one.heading);
    std::vector<std::size_t> widths(columns_.size(), 0);
    lines_.insert(lines_.begin(), heading);
    for (const auto& cells : lines_)
      for (std::size_t i = 0; i < cells.size(); ++i)
        widths[i] = std::max(widths[i], width_of(cells[i]));
    for (const auto& cells : lines_) {
      std::string text;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        text += tinted(cells[i], colour);
        if (i + 1 < cells.size())
          text.append(widths[i] - width_of(cells[i]) + 2, ' ');
      }
      put(text + "\n");
    }
  }
  if (options_.quiet)
    return;
  if (count_ == 0)
    std::fputs("none\n", stderr);
  else if (more)
    fmt::print(stderr, "the first {}; --limit N or --all shows more\n", count_);
}

void print_object(const client_options& options, std::string_view json) {
  if (options.json)
    return put(std::string{json} + "\n");
  const auto read = api::read_json(json);
  const auto* root = std::get_if<api::json_value>(&read);
  if (!root || root->kind != api::json_kind::object)
    return put(printable(json, true) + "\n");
  const auto members = api::members_of(*root);
  std::size_t width = 0;
  for (const auto& one : members)
    width = std::max(width, one.key.size());
  const bool colour = coloured(options);
  for (const auto& one : members)
    if (options.plain)
      put(fmt::format("{}\t{}\n", one.key, text_of(one.value)));
    else
      put(fmt::format("{:<{}}  {}\n", one.key, width,
                      tinted(text_of(one.value), colour)));
}

} // namespace postrider::app
