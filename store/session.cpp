#include "store/session.hpp"

#include "store/error.hpp"
#include "store/link.hpp"
#include "store/socket_guard.hpp"
#include "store/sqlstate.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>

#include <utility>

namespace postrider::store {

namespace {

// Hands libpqxx a connection that was opened by our rules, once: by itself it
// would connect anew behind our back.
class given_once : public pqxx::connectionpolicy {
public:
  explicit given_once(PGconn* opened)
      : connectionpolicy{std::string{}}, opened_{opened} {}

  handle do_startconnect(handle known) override {
    if (known == nullptr)
      known = std::exchange(opened_, nullptr);
    if (known == nullptr)
      throw pqxx::broken_connection{"the connection to the database was lost"};
    return known;
  }
  handle do_completeconnect(handle known) override { return known; }
  handle do_dropconnect(handle known) noexcept override {
    PQfinish(known);
    return nullptr;
  }
  handle do_disconnect(handle known) noexcept override {
    return do_dropconnect(known);
  }

private:
  PGconn* opened_;
};

class adopted : private given_once, public pqxx::connection_base {
public:
  explicit adopted(PGconn* opened)
      : given_once{opened}, connection_base{static_cast<given_once&>(*this)} {
    init();
  }
  ~adopted() noexcept { close(); }
};

// The message without its detail, which may quote a row.
std::string first_line(std::string_view text) {
  return std::string{text.substr(0, text.find('\n'))};
}

} // namespace

class session::impl {
public:
  impl(database where, std::string name)
      : where_{std::move(where)}, name_{std::move(name)} {}

  pqxx::connection_base& begin() {
    // Opened with its own bounds, before the time runs.
    if (!link_ || where_.known->overtaken(raw_.timeline))
      open();
    guard_.begin(where_.statement_timeout + where_.silence);
    return *link_;
  }

  bool end() { return guard_.end(); }

  /// Whether what was told as committed may be not.
  bool in_doubt() { return std::exchange(*raw_.in_doubt, false); }

  /// So that nothing goes on there for nobody.
  void cancel() { store::cancel(where_, raw_); }

  void close() {
    guard_.watch(-1);
    link_.reset();
    raw_ = {};
  }

private:
  void open() {
    close();
    raw_ = open_link(where_, name_);
    PQsetnonblocking(raw_.handle.get(), 0);
    // libpqxx closes it from here on.
    link_ = std::make_unique<adopted>(raw_.handle.get());
    raw_.handle.release();
    guard_.watch(link_->sock());
  }

  database where_;
  std::string name_;
  link raw_;
  std::unique_ptr<adopted> link_; ///< whose base has no virtual destructor
  socket_guard guard_;
};

session::session(database where, std::string application_name)
    : impl_{std::make_unique<impl>(std::move(where),
                                   std::move(application_name))} {}

session::~session() = default;

pqxx::connection_base& session::begin() {
  return impl_->begin();
}

void session::end() {
  // Its time may have run out with the last byte: it is done all the same.
  impl_->end();
  if (impl_->in_doubt())
    throw error{error::kind::transient,
                "the database gave up waiting for its synchronous standby"};
}

void session::rethrow() {
  if (impl_->end()) {
    impl_->cancel();
    impl_->close();
    throw error{error::kind::transient,
                "the database did not answer within the statement timeout",
                error_class::timeout};
  }
  try {
    throw;
  } catch (const error& known) {
    if (known.what_kind() != error::kind::conflict)
      impl_->close();
    throw;
  } catch (const pqxx::broken_connection& lost) {
    impl_->close();
    throw error_of_sqlstate("", first_line(lost.what()));
  } catch (const pqxx::in_doubt_error& lost) {
    impl_->close();
    throw error_of_sqlstate("", first_line(lost.what()));
  } catch (const pqxx::deadlock_detected& again) { // no sql_error either
    throw error_of_sqlstate("40P01", first_line(again.what()));
  } catch (const pqxx::transaction_rollback& again) {
    throw error_of_sqlstate("40001", first_line(again.what()));
  } catch (const pqxx::insufficient_privilege& refused) { // has no state
    throw error_of_sqlstate("42501", first_line(refused.what()));
  } catch (const pqxx::sql_error& refused) {
    const auto fault =
        error_of_sqlstate(refused.sqlstate(), first_line(refused.what()));
    if (fault.what_remedy() == remedy::reconnect)
      impl_->close();
    throw fault;
  } catch (const std::exception& other) {
    impl_->close();
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
