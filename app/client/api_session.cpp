#include "app/client/api_session.hpp"

#include "app/api/json_text.hpp"
#include "app/api_client.hpp"
#include "app/client/node_settings.hpp"
#include "app/client/problem_text.hpp"
#include "app/json_text.hpp"
#include "config/secret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <variant>

namespace postrider::app {

namespace {

constexpr const char* usual_url = "http://127.0.0.1:8080";
constexpr std::size_t page = 250;

api_session::place find_place(const client_options& options) {
  api_session::place out{options.url, {}};
  if (!options.token_file.empty())
    out.token = read_token(options.token_file);
  // A key is never sent to another place than it belongs to: from the
  // environment of a node on this machine it comes with that node's address.
  const bool address = out.url.empty();
  if (address || !options.config.empty()) {
    const auto found = node_settings(options.config);
    if (address && found && found->api.listen.port != 0)
      out.url = callable(found->api.listen);
    if (found && out.token.empty() && (address || !options.config.empty()))
      out.token = found->api.key;
  }
  if (out.url.empty())
    out.url = usual_url;
  return out;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0
        || std::string_view{"-._~"}.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

failure no_answer(const std::string& url, const std::string& fault) {
  const bool late = fault.ends_with("timeout") || fault == "timeout_response";
  return {late && fault != "connect_timeout" ? exit_timed_out
                                             : exit_unreachable,
          fmt::format("{} does not answer ({}): is it running?\n"
                      "try: --url URL or POSTRIDER_URL{}",
                      url, fault, late ? ", or a longer --timeout" : "")};
}

} // namespace

api_session::api_session(const client_options& options)
    : api_session{find_place(options), options} {}

api_session::api_session(place where, const client_options& options)
    : url_{std::move(where.url)},
      verbose_{options.verbose},
      client_{std::make_unique<api_client>(url_, std::move(where.token),
                                           options.timeout)} {}

api_session::~api_session() = default;

api_answer api_session::ask(std::string_view method, const std::string& path,
                            std::string json) {
  auto answer = client_->call(method, path, std::move(json));
  if (verbose_)
    fmt::print(stderr, "{} {}{} -> {}\n", method, url_, path,
               answer.status == 0 ? answer.fault
                                  : std::to_string(answer.status));
  if (answer.status == 0)
    throw no_answer(url_, answer.fault);
  return answer;
}

std::string api_session::call(std::string_view method, const std::string& path,
                              std::string json) {
  auto answer = ask(method, path, std::move(json));
  if (answer.status < 200 || answer.status > 299)
    throw failure_of(answer.status, answer.body);
  return std::move(answer.body);
}

bool api_session::each(const std::string& path, std::size_t limit,
                       const std::function<void(std::string_view row)>& take) {
  std::string cursor;
  for (std::size_t taken = 0;;) {
    const auto left = limit == 0 ? page : std::min(page, limit - taken);
    const auto body = get(fmt::format(
        "{}{}limit={}{}", path, path.find('?') == path.npos ? '?' : '&', left,
        cursor.empty() ? "" : "&cursor=" + encoded(cursor)));
    for_each_row(body, [&](std::string_view row) {
      take(row);
      ++taken;
    });
    cursor = json_member(body, "next_cursor");
    if (cursor.empty() || (limit != 0 && taken >= limit))
      return !cursor.empty();
  }
}

void for_each_row(std::string_view body,
                  const std::function<void(std::string_view row)>& take) {
  const auto read = api::read_json(body);
  const auto* document = std::get_if<api::json_value>(&read);
  if (!document || document->kind != api::json_kind::object)
    throw failure{exit_failed, "the server's answer is no page of a list"};
  for (const auto& member : api::members_of(*document))
    if (member.key == "data" && member.value.kind == api::json_kind::array)
      for (const auto& row : api::elements_of(member.value))
        take(row.text);
}

std::string read_token(const std::string& file) {
  const auto content =
      config::read_secret_file(file, config::process_environment());
  std::string token;
  if (!content.fault.empty())
    throw failure{exit_usage, fmt::format("--token-file {}", content.fault)};
  if (const auto wrong = config::read_line(content.text, token))
    throw failure{exit_usage, fmt::format("--token-file: {} {}", file, *wrong)};
  return token;
}

query_text& query_text::add(std::string_view name, std::string_view value) {
  if (!value.empty())
    text_ +=
        fmt::format("{}{}={}", text_.empty() ? '?' : '&', name, encoded(value));
  return *this;
}

std::string path_segment(std::string_view text) {
  return encoded(text);
}

} // namespace postrider::app
