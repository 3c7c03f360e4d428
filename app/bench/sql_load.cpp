#include "app/bench/load_maker.hpp"
#include "store/error.hpp"
#include "store/producer.hpp"

namespace postrider::app {

sql_load::sql_load(const std::string& database_url, const load_options& options,
                   load_plan& plan, load_tally& tally)
    : options_{options},
      payloads_{options.payload},
      plan_{plan},
      tally_{tally},
      running_{options.connections} {
  for (std::size_t i = 0; i < options_.connections; ++i)
    threads_.emplace_back([this, database_url] {
      work(database_url);
      --running_;
    });
}

sql_load::~sql_load() {
  plan_.end();
  for (auto& one : threads_)
    one.join();
}

void sql_load::work(const std::string& database_url) {
  store::producer producer{database_url};
  while (const auto one = plan_.next()) {
    if (!plan_.wait_for(*one))
      return;
    std::vector<store::produced_event> events;
    for (std::uint64_t i = 0; i < one->count; ++i) {
      const auto number = one->first + i;
      const auto& to = options_.targets[number % options_.targets.size()];
      events.push_back(
          {to.tenant, to.type, payloads_.make({number, one->intended})});
    }
    try {
      if (options_.batches)
        producer.publish(events);
      else
        producer.publish(events.front());
      tally_.accepted(*one);
    } catch (const store::error& fault) {
      tally_.failed(*one, fault.what());
    }
  }
}

} // namespace postrider::app
