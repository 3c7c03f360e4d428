#pragma once

#include <string>
#include <string_view>

namespace postrider::store {

/// The statement that puts ended deliveries back: `which` is its `where` and
/// what follows, with `a` for the attempt that was a delivery's last. Attempts
/// go on counting, so that each keeps a number of its own, with three more to
/// make; the delivery competes as a retry that is due, since the readers'
/// cursors have passed its id. Those of a disabled endpoint stay as they are.
inline std::string put_back(std::string_view which) {
  return R"(
insert into postrider.delivery (
  id, endpoint, stream, deadline, due_at, event, size, partition, attempts,
  max_attempts, state)
select a.delivery, a.endpoint,
       case when e.ordering_key = 'event' and v.ordering_key is not null
            then hashtextextended(v.ordering_key, 0) else 0 end,
       now() + e.max_age, now(), a.event, octet_length(v.payload),
       a.partition, a.number + 1, a.number + 1 + 3, 'retrying'
from postrider.attempt a
join postrider.endpoint e on e.id = a.endpoint and e.deleted_at is null
  and not exists (select from postrider.endpoint_health h
                  where h.endpoint = e.id and h.state = 'disabled')
join postrider.event v on v.id = a.event
)" + std::string{which};
}

} // namespace postrider::store
