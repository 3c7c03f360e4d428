#include "core/failpoint.hpp"
#include "core/public_id.hpp"
#include "store/header_json.hpp"
#include "store/health_rows.hpp"
#include "store/reader.hpp"
#include "store/reader_impl.hpp"
#include "store/reader_statements.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace postrider::store {

namespace {

constexpr int sealed_column = 13;
constexpr int time_left_column = 14;
// Of limits and health, one after the other.
constexpr int rate_column = 15;
constexpr int health_column = 18;

// Nothing for a row that can't be sent as it stands.
event_ptr read_event(const pg::rows& from, int row) {
  auto out = std::make_shared<event_content>();
  out->id = from.id(row, 0);
  out->type = from.bytes(row, 1);
  out->content_type = from.bytes(row, 2);
  if (!from.null(row, 3)) {
    auto headers = parse_whole_headers(from.bytes(row, 3));
    if (!headers)
      return nullptr;
    out->headers = *std::move(headers);
  }
  out->traceparent = from.bytes(row, 4);
  std::string payload{from.bytes(row, 5)};
  POSTRIDER_IF_FAILS("defect.reprinted", std::erase(payload, ' '));
  out->payload = std::make_shared<const std::string>(std::move(payload));
  return out;
}

// A policy that can't be read any more must not stop the deliveries.
retry_policy policy_of(std::string_view text) {
  if (auto policy = parse_retry_policy(text))
    return *std::move(policy);
  return *find_retry_policy("default");
}

/// 0 where the endpoint names none: the node's.
std::chrono::milliseconds read_timeout(const pg::rows& from, int row,
                                       int column) {
  return std::chrono::milliseconds{
      from.null(row, column) ? 0 : from.int4(row, column)};
}

void read_limits_of(endpoint& to, const pg::rows& from, int row) {
  if (!from.null(row, rate_column))
    to.rate = from.float8(row, rate_column);
  if (!from.null(row, rate_column + 1)) {
    auto set = parse_retry_statuses(from.bytes(row, rate_column + 1));
    if (auto* good = std::get_if<status_set>(&set))
      to.retry_statuses = *good;
  }
  to.health_policy = from.bytes(row, rate_column + 2);
}

std::shared_ptr<endpoint> read_endpoint(const pg::rows& from, int row) {
  auto out = std::make_shared<endpoint>();
  out->id = from.int8(row, 0);
  out->public_id = from.id(row, 1);
  out->tenant = from.bytes(row, 2);
  out->version = from.int8(row, 3);
  out->partition = static_cast<std::uint16_t>(from.int2(row, 4));
  out->deleted = from.boolean(row, 5);
  auto target = parse_url(from.bytes(row, 6));
  auto headers = parse_whole_headers(from.bytes(row, 9));
  if (auto* good = std::get_if<url>(&target); good && headers)
    out->target = std::move(*good);
  out->order = from.bytes(row, 7) == "none" ? ordering::none : ordering::fifo;
  out->retry = policy_of(from.bytes(row, 8));
  if (headers)
    out->headers = *std::move(headers);
  out->max_in_flight = from.int4(row, 10);
  out->connect_timeout = read_timeout(from, row, 11);
  out->timeout = read_timeout(from, row, 12);
  read_limits_of(*out, from, row);
  out->health = read_health(from, row, health_column);
  return out;
}

void add_secret(endpoint& to, const std::optional<secret_box>& box,
                const pg::rows& from, int row) {
  using namespace std::chrono;
  const bool expires = !from.null(row, time_left_column);
  const milliseconds left{expires ? from.int8(row, time_left_column) : 0};
  if (!box || (expires && left <= 0ms))
    return;
  const auto opened = box->open(from.bytes(row, sealed_column),
                                endpoint_public_id(to.public_id));
  if (!opened)
    return;
  auto key = signing_key::from_bytes(*opened);
  if (!key)
    return;
  if (expires) // on the clock that signs, whatever the database's shows
    key->expire(ceil<seconds>(system_clock::now() + left));
  to.keys.push_back(*std::move(key));
}

// Unsigned is worse than late: the receiver could not tell it from a forgery.
void refuse_unsigned(endpoint& done, bool has_secret) {
  if (has_secret && done.keys.empty())
    done.target.reset();
}

std::vector<endpoint_ptr> gather(const pg::rows& from,
                                 const std::optional<secret_box>& box) {
  std::vector<endpoint_ptr> out;
  std::shared_ptr<endpoint> current;
  bool has_secret = false;
  for (int row = 0; row < from.size(); ++row) {
    if (!current || current->id != from.int8(row, 0)) {
      if (current)
        refuse_unsigned(*current, has_secret);
      has_secret = false;
      current = read_endpoint(from, row);
      out.push_back(current);
    }
    if (!from.null(row, sealed_column)) {
      has_secret = true;
      add_secret(*current, box, from, row);
    }
  }
  if (current)
    refuse_unsigned(*current, has_secret);
  return out;
}

} // namespace

std::unordered_map<uuid, event_ptr> reader::events(std::span<const uuid> ids) {
  std::unordered_map<uuid, event_ptr> out;
  if (ids.empty())
    return out;
  pg::array wanted{pg::type::uuid};
  for (const auto& id : ids)
    wanted.id(id);
  const auto [lowest, highest] = std::minmax_element(ids.begin(), ids.end());
  const auto found = impl_->link.run(
      statements::events, pg::params{}.add(wanted).id(*lowest).id(*highest));
  out.reserve(static_cast<std::size_t>(found.size()));
  for (int row = 0; row < found.size(); ++row) {
    if (auto event = read_event(found, row))
      out.emplace(event->id, std::move(event));
  }
  return out;
}

std::vector<endpoint_ptr> reader::endpoints(std::span<const std::int64_t> ids) {
  auto wanted = array_of(ids);
  return gather(
      impl_->link.run(statements::endpoints, pg::params{}.add(wanted)),
      impl_->box);
}

std::vector<endpoint_ptr> reader::endpoints_since(std::int64_t version,
                                                  int limit) {
  return gather(impl_->link.run(statements::endpoints_since,
                                pg::params{}.int8(version).int4(limit)),
                impl_->box);
}

std::int64_t reader::endpoint_version() {
  return impl_->link.run(statements::endpoint_version, {}).int8(0, 0);
}

} // namespace postrider::store
