#include "store/hosts.hpp"

#include "store/error.hpp"

#include <algorithm>
#include <libpq-fe.h>
#include <memory>

namespace postrider::store {

namespace {

int parts(const std::string& list) {
  return static_cast<int>(std::count(list.begin(), list.end(), ',')) + 1;
}

} // namespace

settings_map connection_settings(const std::string& url,
                                 const std::string& name) {
  char* fault = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> given{
      PQconninfoParse(url.c_str(), &fault), &PQconninfoFree};
  PQfreemem(fault);
  if (!given)
    throw error{error::kind::broken,
                "the database URL can't be read: it has to be of the form "
                "postgresql://user@host/database or `host=… dbname=…`"};
  settings_map out{
      {"connect_timeout", "5"},      {"keepalives_idle", "5"},
      {"keepalives_interval", "2"},  {"keepalives_count", "3"},
      {"tcp_user_timeout", "10000"}, {"fallback_application_name", name}};
  for (const auto* option = given.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr)
      out[option->keyword] = option->val;
  out["client_encoding"] = "UTF8";
  if (count_hosts(out) > 1)
    out.emplace("target_session_attrs", "read-write");
  return out;
}

int count_hosts(const settings_map& settings) {
  int out = 1;
  for (const char* list : {"host", "hostaddr"})
    if (const auto found = settings.find(list); found != settings.end())
      out = std::max(out, parts(found->second));
  return out;
}

settings_map rotated(settings_map settings) {
  // One port may stand for all hosts; then there is nothing to turn.
  for (const char* list : {"host", "hostaddr", "port"}) {
    const auto found = settings.find(list);
    if (found == settings.end())
      continue;
    auto& text = found->second;
    const auto comma = text.find(',');
    if (comma != std::string::npos)
      text = text.substr(comma + 1) + "," + text.substr(0, comma);
  }
  return settings;
}

} // namespace postrider::store
