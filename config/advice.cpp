#include "config/advice.hpp"

#include "core/address.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace postrider::config {

namespace {

using meaning = std::pair<std::string_view, std::string_view>;

// What people write, and the unit that it stands for. The first that begins
// with the word counts.
constexpr std::array durations{
    meaning{"ms", "ms"},     meaning{"milliseconds", "ms"},
    meaning{"seconds", "s"}, meaning{"m", "m"},
    meaning{"minutes", "m"}, meaning{"hours", "h"},
    meaning{"days", "d"},    meaning{"hrs", "h"}};
constexpr std::array sizes{
    meaning{"bytes", "B"},       meaning{"kib", "KiB"}, meaning{"kb", "KiB"},
    meaning{"kilobytes", "KiB"}, meaning{"mib", "MiB"}, meaning{"mb", "MiB"},
    meaning{"megabytes", "MiB"}, meaning{"gib", "GiB"}, meaning{"gb", "GiB"}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The text of a number or of a text.
std::string text_of(const value& given) {
  if (const auto* number = std::get_if<std::int64_t>(&given))
    return *number > 0 ? fmt::format("{}", *number) : "";
  const auto* text = std::get_if<std::string>(&given);
  return text ? *text : "";
}

/// A number and a word behind it, with or without space between; the word in
/// lower case.
std::optional<std::pair<std::string, std::string>>
take_apart(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at]))
    ++at;
  if (at == 0 || at > 9)
    return std::nullopt;
  std::string word;
  for (const char c : text.substr(at))
    if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c - 'A' + 'a');
    else if (c != ' ')
      word += c;
  return std::pair{text.substr(0, at), word};
}

template <std::size_t N>
std::string meant(const std::string& text, const std::array<meaning, N>& words,
                  std::string_view without) {
  const auto parts = take_apart(text);
  if (!parts)
    return {};
  const auto& [number, word] = *parts;
  if (word.empty())
    return fmt::format("\"{}{}\"", number, without);
  for (const auto& [known, unit] : words)
    if (known.starts_with(word))
      return fmt::format("\"{}{}\"", number, unit);
  return {};
}

} // namespace

std::string advise_duration(const value& given) {
  auto text = meant(text_of(given), durations, "s");
  return text.empty() ? "\"250ms\", \"5s\", \"2h\"" : text;
}

std::string advise_size(const value& given) {
  auto text = meant(text_of(given), sizes, "B");
  return text.empty() ? "\"256KiB\", \"64MiB\"" : text;
}

std::string advise_listen(const value& given) {
  const auto text = text_of(given);
  const auto colon = text.rfind(':');
  const auto host = colon == std::string::npos ? "" : text.substr(0, colon);
  const auto port = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto parts = take_apart(port);
  if (parts && parts->second.empty() && port.size() <= 5) {
    if (host == "localhost" || (host.empty() && colon == std::string::npos))
      return fmt::format("\"127.0.0.1:{}\"", port);
    if (host.empty() || host == "*")
      return fmt::format("\"0.0.0.0:{}\"", port);
    if (parse_ip(host) && host.find(':') != std::string::npos)
      return fmt::format("\"[{}]:{}\"", host, port);
  }
  if (parse_ip(text))
    return text.find(':') == std::string::npos
               ? fmt::format("\"{}:8080\"", text)
               : fmt::format("\"[{}]:8080\"", text);
  return "\"127.0.0.1:8080\", \"[::]:8080\"";
}

} // namespace postrider::config
