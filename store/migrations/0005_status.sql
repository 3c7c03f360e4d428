-- One state for each delivery, for people at a prompt: an open row says it;
-- when there is none, the last final attempt does. (A failed delivery that was
-- retried has several.)
create view postrider.delivery_status as
select d.id as delivery, d.event, d.endpoint, d.partition,
       d.state, null::text collate "C" as reason,
       d.attempts::int as attempts, d.due_at, null::timestamptz as ended_at
from postrider.delivery as d
union all
select a.delivery, a.event, a.endpoint, a.partition,
       a.outcome, a.reason, a.number + case when a.sent then 1 else 0 end,
       null, a.at
from (
  select distinct on (delivery) *
  from postrider.attempt
  where final
  order by delivery, number desc, at desc) as a
where not exists (
  select from postrider.delivery as d
  where d.partition = a.partition and d.id = a.delivery);
