#include "config/assign.hpp"

#include "config/size.hpp"
#include "core/address.hpp"
#include "core/retry.hpp"

#include <fmt/format.h>

#include <charconv>

namespace postrider::config {

namespace {

using complaint = std::optional<std::string>;

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string describe(const value& given) {
  return std::visit(
      overloaded{
          [](const std::string& text) { return quote(text); },
          [](std::int64_t number) { return fmt::format("{}", number); },
          [](const std::vector<std::string>&) { return std::string{"a list"}; },
          [](const other_value& other) { return other.name; }},
      given);
}

complaint set_text(const text_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  if (!text)
    return fmt::format("{} is not a text (write it in quotes)",
                       describe(given));
  if (to.refuse && !text->empty())
    if (auto fault = to.refuse(*text))
      return fault;
  *to.to = *text;
  return std::nullopt;
}

complaint set_count(const count_field& to, const value& given) {
  const auto* number = std::get_if<std::int64_t>(&given);
  if (!number)
    return fmt::format("{} is not a whole number", describe(given));
  if (*number < 0 || static_cast<std::size_t>(*number) < to.low
      || static_cast<std::size_t>(*number) > to.high)
    return fmt::format("{} is out of range ({} to {})", *number, to.low,
                       to.high);
  *to.to = static_cast<std::size_t>(*number);
  return std::nullopt;
}

complaint set_size(const size_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  const auto bytes = text ? parse_size(*text) : std::nullopt;
  if (!bytes)
    return fmt::format("{} is not a size (write \"256KiB\", \"64MiB\")",
                       describe(given));
  if (*bytes < to.low || *bytes > to.high)
    return fmt::format("{} is out of range ({} to {})", *text,
                       render_size(to.low), render_size(to.high));
  *to.to = *bytes;
  return std::nullopt;
}

complaint set_duration(const duration_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  auto wait = text ? parse_duration(*text) : std::nullopt;
  if (text && (*text == "0" || *text == "0s" || *text == "0ms"))
    wait = milliseconds{0};
  if (!wait)
    return fmt::format("{} is not a duration (write \"250ms\", \"5s\", "
                       "\"2h\")",
                       describe(given));
  if (*wait < to.low || *wait > to.high)
    return fmt::format("{} is out of range ({} to {})", *text,
                       render_duration(to.low), render_duration(to.high));
  *to.to = *wait;
  return std::nullopt;
}

complaint set_listen(const listen_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  const auto colon = text ? text->rfind(':') : std::string::npos;
  if (colon != std::string::npos) {
    auto host = text->substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
      host = host.substr(1, host.size() - 2);
    std::uint16_t port = 0;
    const auto* first = text->data() + colon + 1;
    const auto* end = text->data() + text->size();
    const auto [stop, fault] = std::from_chars(first, end, port);
    if (parse_ip(host) && fault == std::errc{} && stop == end) {
      *to.to = {host, port};
      return std::nullopt;
    }
  }
  return fmt::format("{} is not an address and port (write "
                     "\"127.0.0.1:8080\", \"[::]:8080\")",
                     describe(given));
}

complaint set_networks(const networks_field& to, const value& given) {
  const auto* list = std::get_if<std::vector<std::string>>(&given);
  if (!list)
    return fmt::format("{} is not a list of networks (write "
                       "[\"10.0.0.0/8\"])",
                       describe(given));
  for (const auto& one : *list)
    if (!parse_network(one))
      return fmt::format("{} is not a network (write \"10.0.0.0/8\", "
                         "\"fd00::/8\")",
                         quote(one));
  *to.to = *list;
  return std::nullopt;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

} // namespace

complaint assign(const field& where, const value& given) {
  return std::visit(
      overloaded{
          [&](const text_field& to) { return set_text(to, given); },
          [&](const count_field& to) { return set_count(to, given); },
          [&](const size_field& to) { return set_size(to, given); },
          [&](const duration_field& to) { return set_duration(to, given); },
          [&](const listen_field& to) { return set_listen(to, given); },
          [&](const networks_field& to) { return set_networks(to, given); },
          [](const secret_field&) -> complaint { return "is a secret"; }},
      where);
}

value from_text(const field& where, const std::string& text) {
  if (std::holds_alternative<count_field>(where)) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault == std::errc{} && stop == end)
      return number;
  }
  if (std::holds_alternative<networks_field>(where))
    return split(text);
  return text;
}

std::string render(const field& where) {
  return std::visit(
      overloaded{
          [](const text_field& from) { return quote(*from.to); },
          [](const count_field& from) { return fmt::format("{}", *from.to); },
          [](const size_field& from) { return quote(render_size(*from.to)); },
          [](const duration_field& from) {
            return quote(render_duration(*from.to));
          },
          [](const listen_field& from) {
            const auto& host = from.to->address;
            const bool v6 = host.find(':') != std::string::npos;
            return fmt::format("\"{}{}{}:{}\"", v6 ? "[" : "", host,
                               v6 ? "]" : "", from.to->port);
          },
          [](const networks_field& from) {
            std::string list = "[";
            for (const auto& one : *from.to)
              list += (list.size() > 1 ? ", " : "") + quote(one);
            return list + "]";
          },
          [](const secret_field&) { return std::string{"\"…\""}; }},
      where);
}

} // namespace postrider::config
