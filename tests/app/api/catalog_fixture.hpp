#pragma once

#include "store/catalog.hpp"
#include "store/ingester.hpp"
#include "tests/app/api/fixture.hpp"
#include "tests/store/sql.hpp"
#include "tests/support/postgres.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace postrider {

/// The API on a real database; the engine behind it asks it at once.
class api_catalog : public api_test {
protected:
  void SetUp() override {
    url_ = testing::postgres_server::shared().migrated_database();
    catalog_ = std::make_unique<store::catalog>(url_);
    catalog_->use_secret_key(std::string(32, 'k'));
    ingester_ = std::make_unique<store::ingester>(url_);
    serve(ports());
    EXPECT_EQ(put("/v1/tenants/acme", "{}").status, 201);
  }

  testing::raw_answer put(std::string_view target, std::string_view body) {
    return call("PUT", target, body, as_json);
  }
  testing::raw_answer post(std::string_view target, std::string_view body = "",
                           std::string_view headers = "") {
    return call("POST", target, body,
                std::string{as_json} + std::string{headers});
  }
  testing::raw_answer get(std::string_view target) {
    return call("GET", target);
  }
  static nlohmann::json json_of(const testing::raw_answer& answer,
                                int status = 200) {
    EXPECT_EQ(answer.status, status) << answer.body;
    return nlohmann::json::parse(answer.body);
  }

  /// Makes an endpoint that wants everything and returns its path.
  std::string add_endpoint(const std::string& more = "") {
    auto made =
        json_of(post("/v1/endpoints", R"({"tenant":"acme","types":["*"],)"
                                      R"("url":"https://h.example/")"
                                          + more + "}"),
                201);
    return "/v1/endpoints/" + made.at("id").get<std::string>();
  }

  std::string add_event(std::string_view payload = "1",
                        std::string_view more = "") {
    auto made = json_of(post("/v1/events", event_with(payload, more)), 201);
    return made.at("id");
  }

  /// Ends every open delivery as the settler would after a final 400.
  void fail_deliveries() {
    testing::sql db{url_};
    db("with gone as (delete from postrider.delivery returning *) "
       "insert into postrider.attempt (delivery, endpoint, event, duration_ms, "
       "partition, number, status, sent, final, outcome, reason, started_at, "
       "node, response) select id, endpoint, event, 5, partition, attempts, "
       "400, true, true, 'failed', 'rejected', now(), 'n1', 'no <b>' "
       "from gone");
  }

  std::string url_;
  std::atomic<int> changes_ = 0;

private:
  api::ports ports() {
    auto made = engine_.ports();
    made.ingest = [this](const std::vector<new_event>& events,
                         const std::function<void(api::ingest_answer)>& done) {
      std::lock_guard lock{mutex_};
      api::ingest_answer answer;
      answer.results = ingester_->ingest(events);
      done(std::move(answer));
    };
    made.query =
        [this](const std::function<void(store::catalog&)>& job,
               const std::function<void(const store::error&)>& failed) {
          std::lock_guard lock{mutex_};
          try {
            job(*catalog_);
          } catch (const store::error& error) {
            failed(error);
          }
        };
    made.changed = [this] { ++changes_; };
    return made;
  }

  std::mutex mutex_;
  std::unique_ptr<store::catalog> catalog_;
  std::unique_ptr<store::ingester> ingester_;
};

} // namespace postrider
