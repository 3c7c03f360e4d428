#include "tests/faults/database_dump.hpp"

#include "core/public_id.hpp"

#include <pqxx/pqxx>

namespace postrider::testing {

namespace {

// A change of hands counts from its commit, and an outcome from the beginning of
// its statement: what that saw is what its fence goes by.
constexpr const char* fence_log = R"(
create table public.fence_log (
  partition int, node text, at timestamptz default clock_timestamp());
create function public.note_fence() returns trigger language plpgsql as $$
begin
  insert into public.fence_log (partition, node) values (new.id, coalesce(
    (select name from postrider.node where id = new.owner), ''));
  return null;
end $$;
create constraint trigger note_fence after update on postrider.partition
  deferrable initially deferred for each row when (old.owner is distinct from new.owner)
  execute function public.note_fence();
create table public.written_log (
  delivery bigint, partition int, event uuid, number int, node text,
  at timestamptz default statement_timestamp());
create function public.note_written() returns trigger language plpgsql as $$
begin
  insert into public.written_log (delivery, partition, event, number, node)
  values (new.delivery, new.partition, new.event, new.number, new.node);
  return null;
end $$;
create trigger note_written after insert on postrider.attempt
  for each row execute function public.note_written();
)";

std::string text_of(const pqxx::field& from) {
  return from.is_null() ? "" : from.as<std::string>();
}

std::string event_of(const pqxx::row& row) {
  return event_public_id(*parse_uuid(text_of(row["event"])));
}

std::string delivery_of(const pqxx::row& row) {
  return delivery_public_id(
      {row["delivery"].as<std::int64_t>(),
       static_cast<std::uint16_t>(row["partition"].as<int>()),
       salt_of(*parse_uuid(text_of(row["event"])))});
}

std::string endpoint_of(const pqxx::row& row) {
  return endpoint_public_id(*parse_uuid(text_of(row["endpoint"])));
}

void dump_events(pqxx::work& from, ledger_file& into) {
  for (const auto& row : from.exec("select id as event, tenant, key, "
                                   "encode(sha256(payload), 'hex') as sha256 "
                                   "from postrider.event"))
    into.write(event_line{event_of(row), text_of(row["tenant"]),
                          text_of(row["key"]), text_of(row["sha256"])});
}

void dump_open(pqxx::work& from, ledger_file& into) {
  for (const auto& row :
       from.exec("select d.id as delivery, d.partition, d.event, d.state, "
                 "d.attempts, d.due_at is not null as due, "
                 "e.public_id as endpoint from postrider.delivery d "
                 "join postrider.endpoint e on e.id = d.endpoint"))
    into.write(open_line{delivery_of(row), endpoint_of(row), event_of(row),
                         text_of(row["state"]), row["attempts"].as<int>(),
                         row["due"].as<bool>()});
}

void dump_attempts(pqxx::work& from, ledger_file& into) {
  // The server's wall clock less the ledger's: both are this machine's.
  const auto ahead =
      from.exec1("select (extract(epoch from clock_timestamp()) * "
                 "1000000)::bigint")[0]
          .as<std::int64_t>()
      - ledger_now();
  for (const auto& row :
       from.exec("select a.delivery, a.partition, a.event, a.number, "
                 "coalesce(a.status, 0) as status, a.sent, a.final, "
                 "a.outcome, a.error, "
                 "(extract(epoch from a.started_at) * 1000000)::bigint "
                 "as started, a.duration_ms, "
                 "e.public_id as endpoint from postrider.attempt a "
                 "join postrider.endpoint e on e.id = a.endpoint"))
    into.write(
        attempt_line{delivery_of(row), endpoint_of(row), event_of(row),
                     row["number"].as<int>(), row["status"].as<int>(),
                     row["sent"].as<bool>(), row["final"].as<bool>(),
                     text_of(row["outcome"]), text_of(row["error"]),
                     row["started"].as<std::int64_t>() - ahead,
                     row["started"].as<std::int64_t>() - ahead
                         + row["duration_ms"].as<std::int64_t>() * 1'000});
}

void dump_fence(pqxx::work& from, ledger_file& into) {
  constexpr const char* micros =
      "(extract(epoch from at) * 1000000)::bigint as at ";
  for (const auto& row :
       from.exec("select partition, node, " + std::string{micros}
                 + "from public.fence_log order by public.fence_log.at"))
    into.write(fence_line{row["partition"].as<int>(), text_of(row["node"]),
                          row["at"].as<std::int64_t>()});
  for (const auto& row :
       from.exec("select delivery, partition, event, number, node, "
                 + std::string{micros} + "from public.written_log"))
    into.write(written_line{delivery_of(row), row["number"].as<int>(),
                            row["partition"].as<int>(), text_of(row["node"]),
                            row["at"].as<std::int64_t>()});
}

} // namespace

void install_fence_log(const std::string& url) {
  pqxx::connection link{url};
  pqxx::work in{link};
  in.exec(fence_log);
  in.commit();
}

void dump_database(const std::string& url, ledger_file& into) {
  pqxx::connection link{url};
  pqxx::work in{link};
  dump_events(in, into);
  dump_open(in, into);
  dump_attempts(in, into);
  dump_fence(in, into);
}

} // namespace postrider::testing
