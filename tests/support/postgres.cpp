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
  std::vector<std::string> settings;
  pid_t process = 0;
  bool frozen = false;
  std::mutex lock;
  std::vector<std::string> databases;

  explicit state(std::string url) : base{std::move(url)} {}

  state(const std::vector<std::string>& wanted, const std::string& place)
      : settings{wanted} {
    make_folder(place);
    run("initdb",
        {"--pgdata", folder / "data", "--username", "postgres", "--auth",
         "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"});
    std::ofstream{folder / "data" / "pg_hba.conf", std::ios::app}
        << "host all all 0.0.0.0/0 trust\n";
    start();
  }

  // A standby of that one.
  state(const state& primary, const std::string& name)
      : settings{primary.settings} {
    make_folder(fs::temp_directory_path());
    run("pg_basebackup",
        {"-h", primary.folder, "-U", "postgres", "-D", folder / "data", "-X",
         "stream", "-c", "fast", "--no-sync", "-R", "-d",
         fmt::format("application_name={}", name)});
    start();
  }

  void run(const std::string& program,
           const std::vector<std::string>& arguments) {
    const auto log = folder / (program + ".log");
    if (wait_for_exit(spawn_postgres(program, arguments, log)) != 0)
      throw std::runtime_error{program + " failed: " + content(log)};
  }

  void make_folder(const fs::path& place) {
    std::string pattern = place / "postrider-pg-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error{"can't make a temporary folder"};
    folder = pattern;
    give_to_postgres(folder);
    base = fmt::format("postgresql:///postgres?host={}&user=postgres",
                       escaped(folder));
  }

  void start() {
    const auto log = folder / "server.log";
    std::vector<std::string> words{
        "-D", folder / "data",      "-k", folder,
        "-c", "listen_addresses=",  "-c", "shared_buffers=128MB",
        "-c", "max_connections=200"};
    for (const auto& one : settings) {
      words.emplace_back("-c");
      words.push_back(one);
    }
    process = spawn_postgres("postgres", words, log);
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
    if (frozen)
      signal_all(SIGCONT);
    frozen = false;
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

  // The server and its children, itself first: it makes no more then.
  void signal_all(int signal) const {
    ::kill(process, signal);
    std::ifstream in{fmt::format("/proc/{0}/task/{0}/children", process)};
    for (pid_t child = 0; in >> child;)
      ::kill(child, signal);
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

postgres_server::postgres_server(const std::vector<std::string>& settings,
                                 const std::string& place)
    : state_{std::make_unique<state>(settings, place)} {}
postgres_server::~postgres_server() = default;

postgres_server& postgres_server::shared() {
  static postgres_server server = [] {
    const char* url = std::getenv("POSTRIDER_TEST_PG");
    if (url == nullptr || *url == '\0')
      return postgres_server{};
    return postgres_server{std::make_unique<state>(url)};
  }();
  return server;
}

postgres_server::postgres_server(std::unique_ptr<state> made)
    : state_{std::move(made)} {}

std::unique_ptr<postgres_server>
postgres_server::standby(const std::string& name) {
  return std::unique_ptr<postgres_server>{
      new postgres_server{std::make_unique<state>(*state_, name)}};
}

void postgres_server::promote() {
  pqxx::connection link{state_->base};
  pqxx::nontransaction run{link};
  if (!run.exec1("select pg_promote(true, 60)")[0].as<bool>())
    throw std::runtime_error{"the standby was not promoted"};
}

std::string
postgres_server::url_of(const std::vector<const postgres_server*>& servers,
                        const std::string& database) {
  std::string hosts;
  for (const auto* one : servers)
    hosts += (hosts.empty() ? "" : ",") + one->state_->folder.string();
  return fmt::format("postgresql:///{}?host={}&user=postgres",
                     escaped(database), escaped(hosts));
}

const std::string& postgres_server::folder() const {
  return state_->folder.native();
}

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

void postgres_server::stop() {
  state_->stop(SIGINT);
}

void postgres_server::freeze() {
  state_->frozen = true;
  state_->signal_all(SIGSTOP);
}

void postgres_server::thaw() {
  state_->signal_all(SIGCONT);
  state_->frozen = false;
}

void postgres_server::start() {
  state_->start();
}

} // namespace postrider::testing
