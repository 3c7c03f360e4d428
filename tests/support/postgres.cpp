#include "tests/support/postgres.hpp"

#include "store/migrations.hpp"
#include "store/migrator.hpp"
#include "tests/support/postgres_process.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <libpq-fe.h>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

namespace postrider::testing {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return out;
}

// The same server as `url`, another database.
std::string with_database(const std::string& url, const std::string& name) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed{
      PQconninfoParse(url.c_str(), &message), &PQconninfoFree};
  if (!parsed) {
    const std::string why = message == nullptr ? "out of memory" : message;
    PQfreemem(message);
    throw std::runtime_error{"POSTRIDER_TEST_PG: " + why};
  }
  std::string out = "postgresql:///" + escaped(name);
  char separator = '?';
  for (auto* option = parsed.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr && std::string{"dbname"} != option->keyword) {
      out +=
          separator + std::string{option->keyword} + '=' + escaped(option->val);
      separator = '&';
    }
  return out;
}

std::string content(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// One template per state of the migrations, so that a shared server never
// serves an outdated one.
std::string template_name() {
  std::string sums;
  for (const auto& each : store::migrations())
    sums += each.checksum;
  return fmt::format("template_{:016x}", std::hash<std::string>{}(sums));
}

} // namespace

struct postgres_server::state {
  std::string base; ///< the URL of its database `postgres`
  fs::path folder;  ///< empty: not ours to stop
  pid_t process = 0;
  std::mutex lock;
  std::vector<std::string> databases;

  explicit state(std::string url) : base{std::move(url)} {}

  state() {
    std::string pattern = fs::temp_directory_path() / "postrider-pg-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error{"can't make a temporary folder"};
    folder = pattern;
    give_to_postgres(folder);
    base = fmt::format("postgresql:///postgres?host={}&user=postgres",
                       escaped(folder));
    const auto log = folder / "initdb.log";
    const int status = wait_for_exit(spawn_postgres(
        "initdb",
        {"--pgdata", folder / "data", "--username", "postgres", "--auth",
         "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"},
        log));
    if (status != 0)
      throw std::runtime_error{"initdb failed: " + content(log)};
    start();
  }

  void start() {
    const auto log = folder / "server.log";
    process = spawn_postgres("postgres",
                             {"-D", folder / "data", "-k", folder, "-c",
                              "listen_addresses=", "-c", "shared_buffers=128MB",
                              "-c", "max_connections=200"},
                             log);
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (PQping(base.c_str()) != PQPING_OK) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error{"PostgreSQL did not start: " + content(log)};
      std::this_thread::sleep_for(5ms);
    }
  }

  void stop(int signal) {
    if (process == 0)
      return;
    ::kill(process, signal);
    wait_for_exit(process);
    process = 0;
  }

  ~state() {
    stop(SIGQUIT); // nothing in it is needed any more
    if (folder.empty())
      drop_databases();
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  // By bare libpq: at the end of the process libpqxx's own statics are gone.
  void drop_databases() {
    const std::unique_ptr<PGconn, void (*)(PGconn*)> link{
        PQconnectdb(base.c_str()), &PQfinish};
    for (const auto& name : databases) {
      const auto drop = "drop database if exists " + name + " with (force)";
      const std::unique_ptr<PGresult, void (*)(PGresult*)> result{
          PQexec(link.get(), drop.c_str()), &PQclear};
      if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
        fmt::print(stderr, "{}: {}", drop, PQerrorMessage(link.get()));
    }
  }

  std::string make_database(const std::string& from) {
    static std::atomic<int> count{0};
    const auto name = fmt::format("test_{}_{}", ::getpid(), ++count);
    pqxx::connection link{base};
    pqxx::nontransaction run{link};
    run.exec("create database " + name + " template " + from);
    const std::lock_guard hold{lock};
    databases.push_back(name);
    return with_database(base, name);
  }

  // Made once per server, by whichever process comes first.
  std::string migrated_template() {
    auto name = template_name();
    pqxx::connection link{base};
    pqxx::nontransaction run{link};
    run.exec("select pg_advisory_lock(1)"); // ends with the connection
    const auto known = run.exec_params("select datistemplate from pg_database "
                                       "where datname = $1",
                                       name);
    if (!known.empty() && known[0][0].as<bool>())
      return name;
    if (!known.empty()) // its maker died
      run.exec("drop database " + name + " with (force)");
    run.exec("create database " + name + " template template0");
    store::migrator{with_database(base, name)}.up();
    run.exec("alter database " + name + " is_template true");
    run.exec("alter database " + name + " allow_connections false");
    return name;
  }
};

postgres_server::postgres_server() : state_{std::make_unique<state>()} {}
postgres_server::~postgres_server() = default;

postgres_server& postgres_server::shared() {
  static postgres_server server = [] {
    const char* url = std::getenv("POSTRIDER_TEST_PG");
    if (url == nullptr || *url == '\0')
      return postgres_server{};
    return postgres_server{url};
  }();
  return server;
}

postgres_server::postgres_server(const std::string& url)
    : state_{std::make_unique<state>(url)} {}

std::string postgres_server::url(const std::string& database) const {
  return with_database(state_->base, database);
}

std::string postgres_server::fresh_database() {
  return state_->make_database("template0");
}

std::string postgres_server::migrated_database() {
  return state_->make_database(state_->migrated_template());
}

void postgres_server::stop_immediate() {
  state_->stop(SIGQUIT);
}

void postgres_server::start() {
  state_->start();
}

} // namespace postrider::testing
