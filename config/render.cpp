#include "config/render.hpp"

#include "config/size.hpp"

#include <fmt/format.h>

namespace postrider::config {

namespace {

std::string text_of(const text_field& from) {
  return quote(*from.to);
}
std::string text_of(const choice_field& from) {
  return quote(*from.to);
}
std::string text_of(const count_field& from) {
  return fmt::format("{}", *from.to);
}
std::string text_of(const size_field& from) {
  return quote(render_size(*from.to));
}
std::string text_of(const duration_field& from) {
  return quote(render_duration(*from.to));
}
std::string text_of(const number_field& from) {
  return fmt::format("{}", *from.to);
}
std::string text_of(const durations_field& from) {
  std::string list = "[";
  for (const auto& one : *from.to)
    list += (list.size() > 1 ? ", " : "") + quote(render_duration(one));
  return list + "]";
}
std::string text_of(const listen_field& from) {
  return quote(to_string(*from.to));
}
std::string text_of(const networks_field& from) {
  std::string list = "[";
  for (const auto& one : *from.to)
    list += (list.size() > 1 ? ", " : "") + quote(one);
  return list + "]";
}
std::string text_of(const ports_field& from) {
  return fmt::format("[{}]", fmt::join(*from.to, ", "));
}
std::string text_of(const secret_field& from) {
  return from.to->empty() ? "\"\"" : "\"…\"";
}

} // namespace

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string to_string(const listen_config& where) {
  const bool v6 = where.address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", where.address, v6 ? "]" : "",
                     where.port);
}

std::string render(const field& where) {
  return std::visit([](const auto& from) { return text_of(from); }, where);
}

} // namespace postrider::config
