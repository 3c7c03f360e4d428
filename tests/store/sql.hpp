#pragma once

#include <pqxx/pqxx>
#include <string>

namespace postrider::testing {

/// A connection as a test writes to it: statements by themselves, or between
/// `begin` and `commit`, with their errors as SQLSTATEs.
class sql {
public:
  explicit sql(const std::string& url) : link_{url}, run_{link_} {
    run_.exec("set client_min_messages = warning");
  }

  pqxx::result operator()(const std::string& text) { return run_.exec(text); }

  /// The only field of the only row; `null` for a null.
  std::string one(const std::string& text) {
    const auto field = run_.exec1(text)[0];
    return field.is_null() ? "null" : field.as<std::string>();
  }

  /// The SQLSTATE with which this fails; empty when it does not.
  std::string state_of(const std::string& text) {
    try {
      run_.exec(text);
      return "";
    } catch (const pqxx::insufficient_privilege& failure) { // has no state
      message_ = failure.what();
      return "42501";
    } catch (const pqxx::sql_error& failure) {
      message_ = failure.what();
      return failure.sqlstate();
    } catch (const pqxx::serialization_failure& failure) { // no sql_error
      message_ = failure.what();
      return "40001";
    }
  }

  /// The message behind the last `state_of`.
  const std::string& message() const { return message_; }

private:
  pqxx::connection link_;
  pqxx::nontransaction run_;
  std::string message_;
};

} // namespace postrider::testing
