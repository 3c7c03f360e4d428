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

constexpr std::size_t most_under_way = 1'000;
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
    changed_.wait_for(lock, limit,
                      [this] { return under_way_ == 0 && again_.empty(); });
    given_up_ = true;
  }
  psql_.close_input();
  if (sql_.joinable())
    sql_.join();
  api_.stop(); // ends what is under way: its callbacks have run afterwards
  if (http_.joinable())
    http_.join();
  const std::lock_guard guard{mutex_};
  return again_.empty();
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
  std::uint64_t number = 0;
  auto next = clock::now();
  std::unique_lock lock{mutex_};
  while (!given_up_ && (!stopping_ || under_way_ > 0 || !again_.empty())) {
    std::vector<std::pair<std::uint64_t, std::string>> batch;
    if (under_way_ < most_under_way) {
      if (clock::now() >= again_at_)
        for (auto& [late, body] : std::exchange(again_, {}))
          batch.emplace_back(late, std::move(body));
      for (; !stopping_ && next <= clock::now() && batch.size() < 100;
           ++number) {
        if (number % sql_share == 0)
          continue;
        next += interval(options_.rate, 1) * sql_share / (sql_share - 1);
        batch.emplace_back(number,
                           body_of(make_demo_event(options_.run, number)));
      }
    }
    // A pause of the engine is not made up for by a burst.
    next = std::max(next, clock::now() - 1s);
    under_way_ += batch.size();
    lock.unlock();
    for (auto& [one, body] : batch)
      post(one, std::move(body));
    lock.lock();
    changed_.wait_for(lock, 5ms);
  }
}

void demo_traffic::post(std::uint64_t number, std::string body) {
  auto copy = body;
  api_.post("/v1/events", std::move(copy),
            [this, number, body = std::move(body)](api_answer answer) mutable {
              took(number, std::move(body), answer);
            });
}

void demo_traffic::took(std::uint64_t number, std::string body,
                        const api_answer& answer) {
  const bool accepted = answer.status == 200 || answer.status == 201;
  if (accepted)
    ledger_.accepted(json_member(answer.body, "id"),
                     std::atoi(json_member(answer.body, "deliveries").c_str()));
  const std::lock_guard guard{mutex_};
  if (!accepted) {
    ++resent_;
    trouble_ =
        fmt::format("{} {} {}", answer.status, answer.fault, answer.body);
    again_.emplace(number, std::move(body));
    again_at_ = clock::now() + 200ms;
  }
  --under_way_;
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
      const auto line = psql_.read_line();
      if (!line)
        return note("psql has ended");
      if (*line == end_mark)
        break;
      const auto bar = line->find('|');
      const auto id = parse_uuid(line->substr(0, bar));
      if (bar != std::string::npos && id)
        ledger_.accepted(event_public_id(*id),
                         std::atoi(line->c_str() + bar + 1));
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
