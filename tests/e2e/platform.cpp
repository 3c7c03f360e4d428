#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"
#include "tests/support/key_file.hpp"

#include <fmt/core.h>
#include <pqxx/pqxx>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace postrider::testing {

namespace {

/// One key for all tests of the process.
const std::string& own_key() {
  static const key_file file{"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="};
  return file.path();
}

} // namespace

platform::platform() : url_{postgres_server::shared().migrated_database()} {}

platform::platform(postgres_server& server)
    : url_{server.migrated_database()} {}

platform::platform(std::string url) : url_{std::move(url)} {}

node_process& platform::start(std::map<std::string, std::string> settings,
                              bool until_ready,
                              std::vector<std::string> flags) {
  std::map<std::string, std::string> all{
      {"STORAGE__URL", url_},
      {"STORAGE__SECRET_KEY_FILE", own_key()},
      {"API__KEY", key_},
      {"API__LISTEN", "127.0.0.1:0"},
      {"ADMIN__LISTEN", "127.0.0.1:0"},
      {"GUARD__ALLOW", "127.0.0.0/8"},
      {"NODE__THREADS", "1"},
  };
  for (auto& [name, value] : settings)
    all[name] = value;
  nodes_.push_back(
      std::make_unique<node_process>(std::move(all), std::move(flags)));
  auto& made = *nodes_.back();
  if (until_ready
      && !eventually(
          [&] { return call(made, "READY", "/readyz").status == 200; },
          std::chrono::seconds{30}))
    throw std::runtime_error{"the node is not ready: " + made.log()};
  return made;
}

raw_answer platform::call(const node_process& at, std::string_view method,
                          std::string_view path, std::string_view body,
                          const std::vector<header>& headers) {
  const bool admin = method == "READY";
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n",
                  admin ? "GET" : method, path);
  if (!admin)
    text += "Authorization: Bearer " + key_ + "\r\n";
  if (!body.empty())
    text += fmt::format("Content-Type: application/json\r\n"
                        "Content-Length: {}\r\n",
                        body.size());
  for (const auto& one : headers)
    text += one.name + ": " + one.value + "\r\n";
  text += "\r\n";
  text += body;
  const auto answer = exchange(admin ? at.admin_port() : at.api_port(), text);
  return answer ? *answer : raw_answer{};
}

raw_answer platform::call(std::string_view method, std::string_view path,
                          std::string_view body,
                          const std::vector<header>& headers) {
  for (const auto& one : nodes_)
    if (one->wait(std::chrono::milliseconds{0}) < 0)
      return call(*one, method, path, body, headers);
  throw std::runtime_error{"no node runs"};
}

void platform::tenant(const std::string& id) {
  const auto answer = call("PUT", "/v1/tenants/" + id, "{\"name\":\"A\"}");
  if (answer.status != 201 && answer.status != 200)
    throw std::runtime_error{"no tenant: " + answer.body};
}

std::string platform::endpoint(const std::string& url, const std::string& types,
                               const std::string& more) {
  const auto answer =
      call("POST", "/v1/endpoints",
           fmt::format(
               "{{\"tenant\":\"acme\",\"url\":\"{}\",\"types\":[\"{}\"]{}{}}}",
               url, types, more.empty() ? "" : ",", more));
  if (answer.status != 201)
    throw std::runtime_error{"no endpoint: " + answer.body};
  secret_ = member(answer.body, "secret");
  return member(answer.body, "id");
}

std::string platform::send(const std::string& type, const std::string& payload,
                           const std::string& more) {
  const auto answer = call(
      "POST", "/v1/events",
      fmt::format("{{\"tenant\":\"acme\",\"type\":\"{}\",\"payload\":{}{}{}}}",
                  type, payload, more.empty() ? "" : ",", more));
  if (answer.status != 201)
    throw std::runtime_error{"no event: " + answer.body};
  return member(answer.body, "id");
}

std::string platform::sql(const std::string& statement) const {
  pqxx::connection link{url_};
  pqxx::nontransaction run{link};
  const auto rows = run.exec(statement);
  if (rows.empty() || rows.columns() == 0)
    return "";
  return rows[0][0].is_null() ? "" : rows[0][0].as<std::string>();
}

bool platform::settled(std::chrono::milliseconds limit) {
  return eventually(
      [&] { return sql("select count(*) from postrider.delivery") == "0"; },
      limit);
}

std::vector<sighting> sightings(const receiver& at) {
  std::vector<sighting> out;
  for (const auto& one : at.arrivals())
    out.push_back({one.find("webhook-id"),
                   std::stoll(one.find("X-Postrider-Sequence")),
                   std::stoi(one.find("X-Postrider-Attempt")), one.body});
  return out;
}

std::string member(const std::string& json, const std::string& name) {
  const auto key = "\"" + name + "\":\"";
  const auto from = json.find(key);
  if (from == std::string::npos)
    return "";
  const auto begin = from + key.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

} // namespace postrider::testing
