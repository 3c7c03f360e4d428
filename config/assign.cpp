#include "config/assign.hpp"

#include "config/advice.hpp"
#include "config/nearest.hpp"
#include "config/render.hpp"
#include "config/size.hpp"
#include "core/address.hpp"
#include "core/retry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace postrider::config {

namespace {

using result = std::optional<complaint>;

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

const auto describe_scalar =
    overloaded{[](const std::string& text) { return quote(text); },
               [](std::int64_t number) { return fmt::format("{}", number); },
               [](double number) { return fmt::format("{}", number); },
               [](const other_value& other) { return other.name; }};

std::string describe(const value& given) {
  return std::visit(overloaded{describe_scalar,
                               [](const std::vector<item>&) {
                                 return std::string{"a list"};
                               }},
                    given);
}

std::string describe(const item& given) {
  return std::visit(describe_scalar, given);
}

value as_value(const item& one) {
  return std::visit([](const auto& scalar) { return value{scalar}; }, one);
}

result wrong(std::string what) {
  return complaint{std::move(what)};
}

/// Up to here, or twice the bound, a duration is told to be out of range.
constexpr milliseconds usual_longest = std::chrono::hours{30 * 24};

std::optional<std::int64_t> to_number(const std::string& text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end)
    return std::nullopt;
  return number;
}

std::optional<double> to_fraction(const std::string& text) {
  double number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end)
    return std::nullopt;
  return number;
}

result set(const text_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  if (!text)
    return wrong(
        fmt::format("{} is not a text (write it in quotes)", describe(given)));
  if (to.refuse && !text->empty())
    if (auto fault = to.refuse(*text))
      return wrong(fmt::format("{} {}", quote(*text), *fault));
  *to.to = *text;
  return std::nullopt;
}

result set(const choice_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  if (text
      && std::find(to.words.begin(), to.words.end(), *text) != to.words.end()) {
    *to.to = *text;
    return std::nullopt;
  }
  return wrong(fmt::format("{} is none of {}{}", describe(given),
                           fmt::join(to.words, ", "),
                           text ? did_you_mean(*text, to.words) : ""));
}

result set(const count_field& to, const value& given) {
  const auto* number = std::get_if<std::int64_t>(&given);
  if (!number) {
    const auto* text = std::get_if<std::string>(&given);
    const auto meant = text ? to_number(*text) : std::nullopt;
    return wrong(fmt::format("{} is not a whole number{}", describe(given),
                             meant ? fmt::format(" (write {})", *meant) : ""));
  }
  if (*number < 0 || static_cast<std::size_t>(*number) < to.low
      || static_cast<std::size_t>(*number) > to.high)
    return wrong(
        fmt::format("{} is out of range ({} to {})", *number, to.low, to.high));
  *to.to = static_cast<std::size_t>(*number);
  return std::nullopt;
}

result set(const number_field& to, const value& given) {
  const auto* whole = std::get_if<std::int64_t>(&given);
  const auto* number = std::get_if<double>(&given);
  if (!whole && !number) {
    const auto* text = std::get_if<std::string>(&given);
    const auto meant = text ? to_fraction(*text) : std::nullopt;
    return wrong(fmt::format("{} is not a number{}", describe(given),
                             meant ? fmt::format(" (write {})", *meant) : ""));
  }
  const auto wanted = whole ? static_cast<double>(*whole) : *number;
  // Written so that what is no number at all is refused.
  if (!(wanted >= to.low && wanted <= to.high))
    return wrong(
        fmt::format("{} is out of range ({} to {})", wanted, to.low, to.high));
  *to.to = wanted;
  return std::nullopt;
}

result set(const size_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  const auto bytes = text ? parse_size(*text) : std::nullopt;
  if (!bytes)
    return wrong(fmt::format("{} is not a size (write {})", describe(given),
                             advise_size(given)));
  if (*bytes < to.low || *bytes > to.high)
    return wrong(fmt::format("{} is out of range ({} to {})", *text,
                             render_size(to.low), render_size(to.high)));
  *to.to = *bytes;
  return std::nullopt;
}

result set(const duration_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  auto wait = text ? parse_duration(
                  *text, std::max<milliseconds>(2 * to.high, usual_longest))
                   : std::nullopt;
  if (text && (*text == "0" || *text == "0s" || *text == "0ms"))
    wait = milliseconds{0};
  if (!wait)
    return wrong(fmt::format("{} is not a duration (write {})", describe(given),
                             advise_duration(given)));
  if (*wait < to.low || *wait > to.high)
    return wrong(fmt::format("{} is out of range ({} to {})", *text,
                             render_duration(to.low),
                             render_duration(to.high)));
  *to.to = *wait;
  return std::nullopt;
}

result set(const durations_field& to, const value& given) {
  const auto* list = std::get_if<std::vector<item>>(&given);
  if (!list || list->empty() || list->size() > to.most)
    return wrong(fmt::format(
        "{} is not a list of 1 to {} durations (write "
        "[\"5s\", \"1m\"])",
        list && list->empty() ? "an empty list" : describe(given), to.most));
  std::vector<milliseconds> all;
  for (const auto& one : *list) {
    const auto* text = std::get_if<std::string>(&one);
    const auto wait = text ? parse_duration(*text) : std::nullopt;
    const auto fault = [&](const std::string& what) {
      return complaint{fmt::format("{} {}", describe(one), what), all.size()};
    };
    if (!wait)
      return fault(fmt::format("is not a duration (write {})",
                               advise_duration(as_value(one))));
    if (*wait < to.low || *wait > to.high)
      return fault(fmt::format("is out of range ({} to {})",
                               render_duration(to.low),
                               render_duration(to.high)));
    if (!all.empty() && *wait < all.back())
      return fault(fmt::format("is shorter than the one before it ({})",
                               render_duration(all.back())));
    all.push_back(*wait);
  }
  *to.to = std::move(all);
  return std::nullopt;
}

result set(const listen_field& to, const value& given) {
  const auto* text = std::get_if<std::string>(&given);
  const auto colon = text ? text->rfind(':') : std::string::npos;
  if (colon != std::string::npos) {
    auto host = text->substr(0, colon);
    const bool bracketed =
        host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed)
      host = host.substr(1, host.size() - 2);
    // An IPv6 address without brackets could end in something like a port.
    const bool v6 = host.find(':') != std::string::npos;
    const auto port = to_number(text->substr(colon + 1));
    if (parse_ip(host) && v6 == bracketed && port && *port >= 0
        && *port <= 65'535) {
      *to.to = {host, static_cast<std::uint16_t>(*port)};
      return std::nullopt;
    }
  }
  return wrong(fmt::format("{} is not an address and port (write {})",
                           describe(given), advise_listen(given)));
}

result set(const networks_field& to, const value& given) {
  constexpr auto hint = "(write [\"10.0.0.0/8\", \"fd00::/8\"])";
  const auto* list = std::get_if<std::vector<item>>(&given);
  if (!list)
    return wrong(
        fmt::format("{} is not a list of networks {}", describe(given), hint));
  std::vector<std::string> all;
  for (const auto& one : *list) {
    const auto* text = std::get_if<std::string>(&one);
    if (!text || !parse_network(*text))
      return complaint{fmt::format("{} is not a network (write "
                                   "\"10.0.0.0/8\", \"fd00::/8\")",
                                   describe(one)),
                       all.size()};
    all.push_back(*text);
  }
  *to.to = std::move(all);
  return std::nullopt;
}

result set(const ports_field& to, const value& given) {
  const auto* list = std::get_if<std::vector<item>>(&given);
  if (!list)
    return wrong(fmt::format("{} is not a list of ports (write [25, 5432])",
                             describe(given)));
  std::vector<std::uint16_t> all;
  for (const auto& one : *list) {
    const auto* number = std::get_if<std::int64_t>(&one);
    if (!number || *number < 1 || *number > 65'535)
      return complaint{
          fmt::format("{} is not a port (1 to 65535)", describe(one)),
          all.size()};
    all.push_back(static_cast<std::uint16_t>(*number));
  }
  *to.to = std::move(all);
  return std::nullopt;
}

result set(const secret_field&, const value&) {
  return wrong("is a secret");
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    auto part = text.substr(from, comma - from);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(std::move(part));
    from = comma + 1;
  }
  return parts;
}

} // namespace

std::optional<complaint> assign(const field& where, const value& given) {
  return std::visit([&](const auto& to) { return set(to, given); }, where);
}

value from_text(const field& where, const std::string& text) {
  if (std::holds_alternative<count_field>(where))
    if (const auto number = to_number(text))
      return *number;
  if (std::holds_alternative<number_field>(where))
    if (const auto number = to_fraction(text))
      return *number;
  const bool ports = std::holds_alternative<ports_field>(where);
  if (!ports && !std::holds_alternative<networks_field>(where)
      && !std::holds_alternative<durations_field>(where))
    return text;
  std::vector<item> list;
  for (const auto& part : split(text)) {
    const auto number = ports ? to_number(part) : std::nullopt;
    list.push_back(number ? item{*number} : item{part});
  }
  return list;
}

} // namespace postrider::config
