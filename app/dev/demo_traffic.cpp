#include "app/dev/demo_traffic.hpp"

#include "app/dev/demo_event.hpp"
#include "app/json_text.hpp"
#include "core/public_id.hpp"
#include "core/uuid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::size_t most_open = 1'000;
/// Every tenth event goes by SQL.
constexpr std::uint64_t sql_share = 10;
constexpr const char* end_mark = "--end--";

std::string body_of(const demo_event& event) {
  return fmt::format(R"({{"id":"{}","tenant":"{}","type":"{}",)"
                     R"("ordering_key":"{}","payload":{}}})",
                     event.id, demo_tenant, event.type, event.ordering_key,
                     event.payload);
}

/// The texts are made by us and hold no quote.
std::string statement_of(const demo_event& event) {
  return fmt::format(
      "select event, deliveries from postrider.publish('{}', '{}', '{}', "
      "key => '{}', ordering_key => '{}');\n\\echo {}\n",
      demo_tenant, event.type, event.payload, event.id, event.ordering_key,
      end_mark);
}

clock::duration interval(double rate, std::uint64_t events) {
  return std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>{static_cast<double>(events) / rate});
}

} // namespace

demo_traffic::demo_traffic(traffic_options options, api_client& api,
                           child& psql, delivery_ledger& ledger)
    : options_{std::move(options)},
      api_{api},
      psql_{psql},
      ledger_{ledger},
      http_{[this] { send_by_http(); }},
      sql_{[this] { send_by_sql(); }} {}

demo_traffic::~demo_traffic() {
  stop(0ms);
}

bool demo_traffic::stop(std::chrono::milliseconds limit) {
  {
    std::unique_lock lock{mutex_};
    stopping_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, limit, [this] { return open_ == 0; });
    given_up_ = true;
  }
  psql_.close_input();
  if (sql_.joinable())
    sql_.join();
  api_.stop(); // ends what is under way: its callbacks have run afterwards
  if (http_.joinable())
    http_.join();
  const std::lock_guard guard{mutex_};
  return open_ == 0;
}

std::string demo_traffic::trouble() const {
  const std::lock_guard guard{mutex_};
  return trouble_;
}

void demo_traffic::note(std::string what) {
  const std::lock_guard guard{mutex_};
  trouble_ = std::move(what);
}

void demo_traffic::send_by_http() {
  const auto pause = interval(options_.rate, sql_share) / (sql_share - 1);
  std::uint64_t number = 0;
  auto next = clock::now();
  std::unique_lock lock{mutex_};
  while (!given_up_ && (!stopping_ || open_ > 0)) {
    for (; !stopping_ && next <= clock::now() && open_ < most_open;
         next += pause) {
      if (++number % sql_share == 0)
        ++number;
      const auto event = make_demo_event(options_.run, number);
      lines_[event.ordering_key].bodies.push_back(body_of(event));
      ++open_;
    }
    // A pause of the engine is not made up for by a burst.
    next = std::max(next, clock::now() - 1s);
    std::vector<line*> free;
    for (auto& [key, one] : lines_)
      if (!one.under_way && !one.bodies.empty()
          && one.not_before <= clock::now()) {
        one.under_way = true;
        free.push_back(&one);
      }
    lock.unlock();
    for (auto* one : free)
      post(*one);
    lock.lock();
    changed_.wait_for(lock, 2ms);
  }
}

/// Nobody but its answer touches a line that is under way.
void demo_traffic::post(line& from) {
  api_.post("/v1/events", from.bodies.front(),
            [this, &from](const api_answer& answer) { took(from, answer); });
}

void demo_traffic::took(line& from, const api_answer& answer) {
  const bool accepted = answer.status == 200 || answer.status == 201;
  if (accepted)
    ledger_.accepted(json_member(answer.body, "id"),
                     std::atoi(json_member(answer.body, "deliveries").c_str()));
  const std::lock_guard guard{mutex_};
  from.under_way = false;
  if (accepted) {
    from.bodies.pop_front();
    --open_;
  } else {
    from.not_before = clock::now() + 200ms;
    ++resent_;
    trouble_ =
        fmt::format("{} {} {}", answer.status, answer.fault, answer.body);
  }
  changed_.notify_all();
}

void demo_traffic::send_by_sql() {
  const auto pause = interval(options_.rate, sql_share);
  auto next = clock::now();
  for (std::uint64_t number = 0;; number += sql_share) {
    {
      std::unique_lock lock{mutex_};
      if (changed_.wait_until(lock, next, [this] { return stopping_; }))
        return;
    }
    next = std::max(next + pause, clock::now() - 1s);
    if (!psql_.write(statement_of(make_demo_event(options_.run, number))))
      return note("psql has ended");
    for (;;) {
      const auto answer = psql_.read_line();
      if (!answer)
        return note("psql has ended");
      if (*answer == end_mark)
        break;
      const auto bar = answer->find('|');
      const auto id = parse_uuid(answer->substr(0, bar));
      if (bar != std::string::npos && id)
        ledger_.accepted(event_public_id(*id),
                         std::atoi(answer->c_str() + bar + 1));
    }
  }
}

child start_psql(const std::string& program, const std::string& database) {
  return child{
      {.arguments = {program, "--no-psqlrc", "--quiet", "--tuples-only",
                     "--no-align", "--command", "set role postrider_producer",
                     "--file", "-", database},
       .user = {},
       .folder = {},
       .log = {},
       .piped = true}};
}

} // namespace postrider::app
