#include "config/keys.hpp"

#include "config/secret.hpp"

#include <algorithm>

namespace postrider::config {

namespace {

using namespace std::chrono_literals;

std::optional<std::string> refuse_prefix(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '-';
  };
  if (text.size() >= 2 && text.size() <= 32 && text.back() == '-'
      && std::all_of(text.begin(), text.end(), plain))
    return std::nullopt;
  return "must be 2 to 32 letters, digits and dashes that end in a dash, such "
         "as \"X-Postrider-\"";
}

std::optional<std::string> refuse_unprintable(std::string_view text) {
  if (text.size() <= 256 && std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c <= '~';
      }))
    return std::nullopt;
  return "must be at most 256 printable ASCII characters";
}

constexpr auto live = applies::on_reload;

} // namespace

std::vector<key> keys_of(config& c) {
  return {
      {"node", "name", "Shown in attempts and logs. Empty: the host's name.",
       text_field{&c.node.name, refuse_unprintable}},
      {"node", "role",
       "all; api: takes events and answers calls, delivers nothing; worker:\n"
       "delivers, and has no API listener.",
       choice_field{&c.node.role, {"all", "api", "worker"}}},
      {"node", "threads", "HTTP loops. 0: one per core, at most 8.",
       count_field{&c.node.threads, 0, 64}},

      {"api", "listen", "Where events come in.", listen_field{&c.api.listen}},
      {"api", "key", "The bearer key of the API.",
       secret_field{&c.api.key, read_api_key, false, "/etc/postrider/api.key"},
       live},
      {"api", "max_body", "A larger request body is refused with 413.",
       size_field{&c.api.max_body, 1 << 10, 64 << 20}, live},
      {"api", "max_batch", "Events in one batch request.",
       count_field{&c.api.max_batch, 1, 10'000}, live},
      {"api", "queue_limit",
       "Events accepted from the network and not yet committed; above: 503.",
       count_field{&c.api.queue_limit, 1, 1'000'000}, live},
      {"api", "header_timeout", "For the whole head of a request.",
       duration_field{&c.api.header_timeout, 100ms, 10min}},
      {"api", "body_timeout", "For the whole body of a request.",
       duration_field{&c.api.body_timeout, 100ms, 10min}},
      {"api", "idle_timeout", "An unused connection is closed after this.",
       duration_field{&c.api.idle_timeout, 1s, 1h}},
      {"api", "max_connections", "Connections open at once; above: 503.",
       count_field{&c.api.max_connections, 1, 1'000'000}},

      {"admin", "listen", "Health checks.", listen_field{&c.admin}},

      {"storage", "url",
       "The database, such as postgresql://postrider@db/postrider.",
       secret_field{&c.storage.url, read_line, false,
                    "/etc/postrider/database-url"}},
      {"storage", "secret_key",
       "32 bytes in base64 that encrypt the endpoints' secrets at rest.\n"
       "Make one: openssl rand -base64 32",
       secret_field{&c.storage.secret_key, read_secret_key, true,
                    "/etc/postrider/secret.key"}},
      {"storage", "query_connections", "For the API's questions and changes.",
       count_field{&c.storage.query_connections, 1, 64}},
      {"storage", "query_queue",
       "Questions of the API that wait for one of them; above: 503.",
       count_field{&c.storage.query_queue, 1, 100'000}, live},
      {"storage", "statement_timeout",
       "How long the database may take for one statement.",
       duration_field{&c.storage.statement_timeout, 100ms, 10min}},
      {"storage", "unsafe_settings",
       "Whether a node serves a database that has fsync, full_page_writes or\n"
       "synchronous_commit off, for a database or role too, and so may lose "
       "what\nwas accepted. \"warn\" says so at the start and in /readyz; "
       "with \"refuse\"\nthe node is not ready.",
       choice_field{&c.storage.unsafe_settings, {"warn", "refuse"}}},

      {"ingest", "connections",
       "Writers of new events; all but the first are for what would wait "
       "behind a long commit.",
       count_field{&c.ingest.connections, 1, 64}},
      {"ingest", "batch_max", "Events committed together.",
       count_field{&c.ingest.batch_max, 1, 10'000}, live},
      {"ingest", "timeout",
       "How long a commit of new events may take; above: 503, and it is "
       "cancelled.",
       duration_field{&c.ingest.timeout, 100ms, 10min}},

      {"delivery", "lease",
       "How long a silent node keeps its partitions. Longer than "
       "http.timeout,\n"
       "so that a dead node's requests have ended when another takes over.",
       duration_field{&c.delivery.lease, 1s, 10min}},
      {"delivery", "heartbeat", "At most a third of the lease.",
       duration_field{&c.delivery.heartbeat, 100ms, 3min}},
      {"delivery", "stalled_after",
       "When a loop or an actor has stood still for so long, the node is not\n"
       "ready and gives its leases up. 0s: half of the lease, at least 2 s.",
       duration_field{&c.delivery.stalled_after, 0ms, 10min}},
      {"delivery", "window", "Deliveries read and not yet settled.",
       count_field{&c.delivery.window, 1, 1'000'000}, live},
      {"delivery", "window_bytes", "Their payloads together.",
       size_field{&c.delivery.window_bytes, 1 << 20, std::size_t{64} << 30},
       live},
      {"delivery", "per_endpoint",
       "The share of one endpoint in the window; less when the window fills.",
       count_field{&c.delivery.per_endpoint, 1, 100'000}, live},
      {"delivery", "poll_min", "The wait between reads while there is work.",
       duration_field{&c.delivery.poll_min, 1ms, 10s}, live},
      {"delivery", "poll_max",
       "The wait between reads when there has been no work for a while.",
       duration_field{&c.delivery.poll_max, 1ms, 60s}, live},
      {"delivery", "notify",
       "Whether nodes tell each other of new events (NOTIFY), and listen to\n"
       "producers that do. The poll goes on either way.",
       choice_field{&c.delivery.notify, {"on", "off"}}},
      {"delivery", "settle_max", "Outcomes written together.",
       count_field{&c.delivery.settle_max, 1, 10'000}, live},
      {"delivery", "settle_delay", "How long an outcome waits for company.",
       duration_field{&c.delivery.settle_delay, 0ms, 1s}, live},
      {"delivery", "retry_after_max",
       "A receiver's Retry-After is followed up to here.",
       duration_field{&c.delivery.retry_after_max, 1s, 24h}, live},
      {"delivery", "header_prefix", "Of Event-Id, Sequence and Attempt.",
       text_field{&c.delivery.header_prefix, refuse_prefix}, live},

      {"health", "degraded_after",
       "Degraded after so many deliveries in a row whose first attempt met a\n"
       "transient fault.",
       count_field{&c.health.degraded_after, 1, 1'000}, live},
      {"health", "auth_after",
       "Suspended after so many answers 401 or 403 without a success between.",
       count_field{&c.health.auth_after, 1, 1'000}, live},
      {"health", "failure_ratio",
       "Degraded also when this part of the attempts in the window failed.\n"
       "Above 1: never.",
       number_field{&c.health.failure_ratio, 0.01, 2}, live},
      {"health", "failure_ratio_min", "Of at least so many attempts.",
       count_field{&c.health.failure_ratio_min, 1, 100'000}, live},
      {"health", "failure_ratio_window", "The window.",
       duration_field{&c.health.failure_ratio_window, 1s, 1h}, live},
      {"health", "cooldowns",
       "The wait before each trial of an endpoint that is not healthy; the\n"
       "last repeats.",
       durations_field{&c.health.cooldowns, 1s, 30 * 24h, 20}, live},
      {"health", "max_suspended",
       "An endpoint that is suspended for so long is disabled.",
       duration_field{&c.health.max_suspended, 1min, 365 * 24h}, live},
      {"health", "on_suspended",
       "New deliveries of a suspended endpoint: hold keeps them, shed cancels\n"
       "them on record.",
       choice_field{&c.health.on_suspended, {"hold", "shed"}}, live},
      {"health", "held_max",
       "Deliveries held for one endpoint; above, the oldest are cancelled.",
       count_field{&c.health.held_max, 1, 1'000'000'000}, live},
      {"health", "ramp_start",
       "Sent in the first second after the return to healthy, twice as many\n"
       "in each further one.",
       count_field{&c.health.ramp_start, 1, 100'000}, live},

      {"retention", "events",
       "Events and their payloads are dropped by whole days when they are "
       "older\n"
       "and nothing needs them: no open delivery, no dead letter that may be\n"
       "retried. 0s: never.",
       duration_field{&c.retention.events, 0ms, 3650 * 24h}},
      {"retention", "attempts",
       "The record of attempts, and with it of ended deliveries. Kept at "
       "least\n"
       "as long as dead letters. 0s: for ever.",
       duration_field{&c.retention.attempts, 0ms, 3650 * 24h}},
      {"retention", "dead_letters",
       "How long after its end a delivery that failed or was cancelled can be\n"
       "retried. 0s: for ever.",
       duration_field{&c.retention.dead_letters, 0ms, 3650 * 24h}},
      {"retention", "keys",
       "How long an event's id, or idempotency key, is known: the same one "
       "later\nis a new event. 0s: for ever.",
       duration_field{&c.retention.keys, 0ms, 3650 * 24h}},
      {"retention", "every", "How often is looked for what can be dropped.",
       duration_field{&c.retention.every, 1s, 24h}},

      {"limits", "tenant_max_in_flight",
       "Attempts of one tenant at the same time on this node, for tenants\n"
       "that name no number themselves.",
       count_field{&c.limits.tenant_max_in_flight, 1, 100'000}, live},
      {"limits", "tenant_rate",
       "Attempts of one tenant a second on this node, for tenants that name\n"
       "no number themselves. 0: no limit.",
       number_field{&c.limits.tenant_rate, 0, 1'000'000}, live},

      {"http", "connect_timeout",
       "For lookup, connect and handshake, for endpoints that name none\n"
       "themselves.",
       duration_field{&c.http.connect_timeout, 100ms, 60s}, live},
      {"http", "timeout",
       "From the start of an attempt to its end, for endpoints that name none\n"
       "themselves.",
       duration_field{&c.http.timeout, 1s, 60s}, live},
      {"http", "idle_timeout", "An unused connection is closed after this.",
       duration_field{&c.http.idle_timeout, 1s, 10min}, live},
      {"http", "max_idle_per_origin", "Unused connections kept per origin.",
       count_field{&c.http.max_idle_per_origin, 0, 10'000}, live},
      {"http", "max_connection_age",
       "A connection is not used again after this, so that a name that moved\n"
       "is looked up anew.",
       duration_field{&c.http.max_connection_age, 1s, 24h}, live},
      {"http", "max_connections",
       "Connections open at once in each HTTP loop; more requests wait.",
       count_field{&c.http.max_connections, 1, 100'000}, live},
      {"http", "response_limit",
       "Read of a response's body before the connection is closed instead.",
       size_field{&c.http.response_limit, 1 << 10, 16 << 20}, live},
      {"http", "response_excerpt", "Kept of it with a failed attempt.",
       size_field{&c.http.response_excerpt, 0, 64 << 10}, live},
      {"http", "ca_file", "PEM bundle to trust. Empty: the system's.",
       text_field{&c.http.ca_file}, live},
      {"http", "user_agent", "Empty: postrider/<version>.",
       text_field{&c.http.user_agent, refuse_unprintable}, live},

      {"guard", "allow",
       "Networks that may be called although they are not public, such as\n"
       "[\"10.1.0.0/16\"]. Everything internal is refused otherwise.",
       networks_field{&c.guard.allow}, live},
      {"guard", "deny", "Networks that may never be called.",
       networks_field{&c.guard.deny}, live},
      {"guard", "ports",
       "Ports that may be called beside 80, 443 and those above 1023 that no\n"
       "database or broker uses, such as [25, 5432].",
       ports_field{&c.guard.ports}, live},

      {"shutdown", "delay",
       "Not ready any more but still serving, until load balancers have\n"
       "noticed. Behind one: longer than its health check takes.",
       duration_field{&c.shutdown.delay, 0ms, 10min}, live},
      {"shutdown", "timeout",
       "For requests in flight when the node is stopped.",
       duration_field{&c.shutdown.timeout, 0ms, 10min}, live},

      {"log", "level", "The least that is written: debug, info, warn or error.",
       choice_field{&c.log.level, {"debug", "info", "warn", "error"}}, live},
  };
}

} // namespace postrider::config
