#include "tests/faults/fault_bench.hpp"

#include "tests/faults/database_dump.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <pqxx/pqxx>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace postrider::testing {

namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
  const char* given = std::getenv("POSTRIDER_LEDGERS");
  auto pattern = (fs::path{given ? given : fs::temp_directory_path().c_str()}
                  / "postrider-ledgers-XXXXXX")
                     .string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error{"no folder for ledgers: " + pattern};
  return pattern;
}

raw_answer call_at(std::uint16_t port, const std::string& key,
                   std::string_view method, std::string_view path,
                   std::string_view body) {
  const auto got = testing::exchange(
      port, fmt::format("{} {} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
                        "Authorization: Bearer {}\r\n"
                        "Content-Type: application/json\r\n"
                        "Content-Length: {}\r\n\r\n{}",
                        method, path, key, body.size(), body));
  return got.value_or(raw_answer{});
}

std::map<std::string, std::string> quick() {
  return {{"HTTP__CONNECT_TIMEOUT", "500ms"},
          {"HTTP__TIMEOUT", "1s"},
          {"DELIVERY__LEASE", "1100ms"},
          {"DELIVERY__HEARTBEAT", "200ms"},
          {"SHUTDOWN__TIMEOUT", "5s"}};
}

} // namespace

fault_bench::fault_bench(receiver::behaviour how)
    : folder_{new_folder()},
      producer_{folder_ / "producer"},
      receipts_{folder_ / "receiver"},
      shop_{receipts_, std::move(how)} {
  prepare();
}

fault_bench::fault_bench(postgres_server& server, receiver::behaviour how)
    : folder_{new_folder()},
      producer_{folder_ / "producer"},
      receipts_{folder_ / "receiver"},
      shop_{receipts_, std::move(how)},
      here_{server} {
  prepare();
}

fault_bench::fault_bench(const std::string& url, receiver::behaviour how)
    : folder_{new_folder()},
      producer_{folder_ / "producer"},
      receipts_{folder_ / "receiver"},
      shop_{receipts_, std::move(how)},
      here_{url} {
  prepare();
}

fault_bench::~fault_bench() {
  here_.nodes().clear();
  if (!keep_ && !std::getenv("POSTRIDER_LEDGERS"))
    fs::remove_all(folder_);
}

void fault_bench::prepare() {
  run_seed();
  install_fence_log(here_.url());
}

node_process& fault_bench::start(const std::string& failpoints,
                                 std::map<std::string, std::string> settings,
                                 bool until_ready) {
  ++started_;
  defective_ = defective_ || failpoints.starts_with("defect.");
  auto all = quick();
  all["NODE__NAME"] = name();
  all["HTTP__USER_AGENT"] = name();
  all["FAILPOINTS"] = failpoints;
  all["SEED"] = std::to_string(run_seed() + static_cast<unsigned>(started_));
  for (auto& [key, value] : settings)
    all[key] = value;
  return here_.start(std::move(all), until_ready);
}

std::string fault_bench::endpoint(const std::string& more) {
  const auto path = fmt::format("/{}", ++paths_);
  here_.tenant();
  const auto id = here_.endpoint(shop_.url(path), "*",
                                 R"("ordering_key":"event")"
                                     + (more.empty() ? "" : "," + more));
  shop_.expect(path, id, here_.secret());
  const bool ordered = more.find("\"none\"") == std::string::npos;
  producer_.write_durably(endpoint_line{id, "acme", ordered, true});
  const std::lock_guard lock{mutex_};
  endpoints_.push_back(id);
  return id;
}

std::string fault_bench::payload_of(const std::string& key) {
  // White space, escapes and an odd number: a body that is printed again is
  // another one.
  return fmt::format(R"({{ "key": "{}", "n": 1e2,  "s":"\u00e9\/" }})", key);
}

void fault_bench::note_call(const std::string& key, const std::string& payload,
                            const std::string& stream,
                            const std::string& transaction) {
  call_line line;
  line.key = key;
  line.tenant = "acme";
  line.sha256 = sha256_hex(payload);
  line.stream = stream;
  line.transaction = transaction;
  {
    const std::lock_guard lock{mutex_};
    line.endpoints = endpoints_;
  }
  line.at = ledger_now();
  producer_.write_durably(line);
}

int fault_bench::send(const std::string& key, const std::string& stream) {
  return send_payload(key, payload_of(key), stream);
}

int fault_bench::send_payload(const std::string& key,
                              const std::string& payload,
                              const std::string& stream,
                              const std::string& type) {
  note_call(key, payload, stream, "");
  const auto got =
      call("POST", "/v1/events",
           fmt::format(R"({{"tenant":"acme","type":"{}","id":"{}",)"
                       R"("ordering_key":"{}","payload":{}}})",
                       type, key, stream, payload));
  producer_.write_durably(
      answer_line{key, got.status, member(got.body, "id"), ledger_now()});
  return got.status;
}

bool fault_bench::insist(const std::string& key, const std::string& stream,
                         std::chrono::milliseconds limit) {
  return eventually(
      [&] {
        const auto status = send(key, stream);
        return status == 200 || status == 201;
      },
      limit);
}

raw_answer fault_bench::call(std::string_view method, std::string_view path,
                             std::string_view body) {
  try {
    return door_ ? call_at(door_, here_.key(), method, path, body)
                 : here_.call(node(), method, path, body);
  } catch (const std::runtime_error&) {
    return {}; // nobody listens: the node is gone
  }
}

void fault_bench::kill(node_process& which, const std::string& name) {
  which.signal(SIGKILL);
  which.wait();
  mark("kill", name);
}

void fault_bench::pause(node_process& which, const std::string& name,
                        std::chrono::milliseconds span) {
  const auto from = ledger_now();
  which.signal(SIGSTOP);
  std::this_thread::sleep_for(span);
  which.signal(SIGCONT);
  producer_.write_durably(mark_line{"pause", name, from, ledger_now(), 0});
}

void fault_bench::mark(const std::string& did, const std::string& name,
                       std::chrono::milliseconds within) {
  producer_.write_durably(
      mark_line{did, name, ledger_now(), 0, within.count() * 1'000});
}

bool fault_bench::drained(std::chrono::milliseconds limit) {
  // On one connection: a new one for each look is a load of its own.
  pqxx::connection link{here_.url()};
  pqxx::nontransaction ask{link};
  return eventually(
      [&] {
        return ask.exec1("select count(*) from postrider.delivery")[0].as<int>()
               == 0;
      },
      limit);
}

std::vector<verdict> fault_bench::judge() {
  ledger_file dump{folder_ / "database"};
  dump_database(here_.url(), dump);
  history all;
  for (const auto* name : {"producer", "receiver", "database"}) {
    std::ifstream in{folder_ / name};
    all.read(in);
  }
  all.finish();
  auto out = check_all(all);
  keep_ = keep_ || (!holds(out) && !defective_);
  said_ = report(out);
  if (keep_)
    said_ += "ledgers: " + folder_.string() + "\n";
  return out;
}

std::int64_t number_of(const std::vector<verdict>& all, const std::string& id,
                       const std::string& name) {
  for (const auto& one : all)
    if (one.id == id)
      if (const auto found = one.numbers.find(name); found != one.numbers.end())
        return found->second;
  return 0;
}

} // namespace postrider::testing
