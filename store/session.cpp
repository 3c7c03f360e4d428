#include "store/session.hpp"

#include "store/error.hpp"
#include "store/sqlstate.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <libpq-fe.h>
#include <map>

namespace postrider::store {

namespace {

// A value of a connection string.
std::string quoted(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\')
      out.push_back('\\');
    out.push_back(c);
  }
  return out + "'";
}

// The URL with our defaults where it says nothing. It may hold a password, so
// no part of it goes into an error.
std::string completed(const std::string& url, const std::string& name) {
  char* fault = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> given{
      PQconninfoParse(url.c_str(), &fault), &PQconninfoFree};
  PQfreemem(fault);
  if (!given)
    throw error{error::kind::broken,
                "the database URL can't be read: it has to be of the form "
                "postgresql://user@host/database or `host=… dbname=…`"};
  std::map<std::string, std::string> settings{
      {"connect_timeout", "5"},           {"keepalives_idle", "10"},
      {"keepalives_interval", "5"},       {"keepalives_count", "3"},
      {"tcp_user_timeout", "15000"},      {"client_encoding", "UTF8"},
      {"fallback_application_name", name}};
  for (const auto* option = given.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr)
      settings[option->keyword] = option->val;
  }
  std::string out;
  for (const auto& [key, value] : settings)
    out += fmt::format("{}={} ", key, quoted(value));
  return out;
}

// The message without its detail, which may quote a row.
std::string first_line(std::string_view text) {
  return std::string{text.substr(0, text.find('\n'))};
}

} // namespace

session::session(std::string url, std::string application_name)
    : url_{std::move(url)}, application_name_{std::move(application_name)} {}

session::~session() = default;

pqxx::connection& session::link() {
  if (!link_) {
    auto fresh =
        std::make_unique<pqxx::connection>(completed(url_, application_name_));
    fresh->set_variable("statement_timeout", "30000");
    link_ = std::move(fresh);
  }
  return *link_;
}

void session::rethrow() {
  try {
    throw;
  } catch (const error& known) {
    if (known.what_kind() != error::kind::conflict)
      link_.reset();
    throw;
  } catch (const pqxx::broken_connection& lost) {
    link_.reset();
    throw error{error::kind::transient, first_line(lost.what()),
                error_class::connection};
  } catch (const pqxx::in_doubt_error& lost) {
    link_.reset();
    throw error{error::kind::transient, first_line(lost.what()),
                error_class::connection};
  } catch (const pqxx::transaction_rollback& again) { // no sql_error
    link_.reset();
    throw error{error::kind::transient, first_line(again.what()),
                error_class::serialization};
  } catch (const pqxx::insufficient_privilege& refused) { // has no state
    link_.reset();
    throw error{error::kind::broken, first_line(refused.what())};
  } catch (const pqxx::sql_error& refused) {
    const auto kind = kind_of_sqlstate(refused.sqlstate());
    if (kind != error::kind::conflict)
      link_.reset();
    throw error{kind, first_line(refused.what()),
                class_of_sqlstate(refused.sqlstate())};
  } catch (const std::exception& other) {
    link_.reset();
    throw error{error::kind::defect, first_line(other.what())};
  }
}

std::string text_array(std::span<const std::string> values) {
  std::string out = "{";
  for (const auto& value : values) {
    out += out.size() == 1 ? "\"" : ",\"";
    for (const char c : value) {
      if (c == '"' || c == '\\')
        out.push_back('\\');
      out.push_back(c);
    }
    out.push_back('"');
  }
  return out + "}";
}

std::string number_array(std::span<const std::int64_t> values) {
  std::string out = "{";
  for (const auto value : values)
    out += fmt::format("{}{}", out.size() == 1 ? "" : ",", value);
  return out + "}";
}

} // namespace postrider::store
