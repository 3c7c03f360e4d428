#include "store/settler.hpp"

#include "core/failpoint.hpp"
#include "store/pg.hpp"
#include "store/settle_parameters.hpp"
#include "store/settler_statements.hpp"

#include <algorithm>
#include <utility>

namespace postrider::store {

namespace {

bool plain_success(const settlement& one) {
  return one.state == delivery_state::succeeded && one.sent;
}

} // namespace

class settler::impl {
public:
  impl(database where, uuid node, std::string node_name)
      : link_{std::move(where),
              {.application_name = "postrider settler",
               .settings = statements::settler_settings()}},
        node_{node},
        name_{std::move(node_name)} {}

  settled settle(std::span<const settlement> batch) {
    settled out{std::vector<bool>(batch.size(), false)};
    if (batch.empty())
      return out;
    const auto found = std::all_of(batch.begin(), batch.end(), plain_success)
                           ? run(statements::settle_succeeded, batch, false)
                           : run(statements::settle, batch, true);
    for (int row = 0; row < found.size(); ++row)
      out.hit[static_cast<std::size_t>(found.int4(row, 0))] = true;
    return out;
  }

private:
  pg::rows run(const pg::statement& what, std::span<const settlement> batch,
               bool full) {
    pg::params given;
    given.id(node_).bytes(name_);
    add_settlements(given, batch, std::chrono::steady_clock::now(), full);
    POSTRIDER_IF_FAILS(
        "defect.unfenced",
        return link_.run({what.name, failpoint::altered(what.sql, ") is true",
                                                        ") is not null")},
                         given));
    return link_.run(what, given);
  }

  pg::connection link_;
  uuid node_;
  std::string name_;
};

settler::settler(database where, uuid node, std::string node_name)
    : impl_{
        std::make_unique<impl>(std::move(where), node, std::move(node_name))} {}

settler::~settler() = default;

settled settler::settle(std::span<const settlement> batch) {
  return impl_->settle(batch);
}

} // namespace postrider::store
