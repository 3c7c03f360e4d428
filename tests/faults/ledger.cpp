#include "tests/faults/ledger.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace postrider::testing {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(endpoint_line, id, tenant, ordered, by_event)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(call_line, key, tenant, sha256, stream,
                                   transaction, endpoints, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(answer_line, key, status, event, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(arrival_line, number, endpoint, id, event,
                                   attempt, sequence, sha256, signature, node,
                                   connection, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(decision_line, arrival, did, status, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(mark_line, did, node, at, until, within)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(sample_line, name, value, bound)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(trap_line, address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(event_line, id, tenant, key, sha256)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(open_line, id, endpoint, event, state,
                                   attempts, due)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(attempt_line, id, endpoint, event, number,
                                   status, sent, last, outcome, error, started,
                                   ended)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(fence_line, partition, node, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(written_line, id, number, partition, node,
                                   at)

namespace {

template <class Line>
bool take(const std::string& what, const nlohmann::json& from,
          ledger_line& into) {
  if (what != Line::what)
    return false;
  into = from.get<Line>();
  return true;
}

template <class... Lines>
bool take_any(const std::string& what, const nlohmann::json& from,
              ledger_line& into, std::variant<Lines...>*) {
  return (take<Lines>(what, from, into) || ...);
}

} // namespace

std::string format_line(const ledger_line& line) {
  return std::visit(
      [](const auto& one) {
        nlohmann::json out = one;
        out["what"] = one.what;
        return out.dump();
      },
      line);
}

ledger_line parse_line(std::string_view text) {
  try {
    const auto from = nlohmann::json::parse(text);
    ledger_line out;
    const auto what = from.at("what").get<std::string>();
    if (!take_any(what, from, out, static_cast<ledger_line*>(nullptr)))
      throw std::invalid_argument{"there is no line \"" + what + "\""};
    return out;
  } catch (const nlohmann::json::exception& fault) {
    throw std::invalid_argument{fault.what()};
  }
}

std::int64_t ledger_now() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch())
      .count();
}

} // namespace postrider::testing
