#!/bin/sh
# Publishes from SQL, in the transaction of your own data. DATABASE_URL; psql.
set -eu
psql -v ON_ERROR_STOP=1 "$DATABASE_URL" <<'SQL'
begin;
create temporary table orders (id int, total text);
insert into orders values (20, '10.50');
select event, duplicate, deliveries
from postrider.publish('acme', 'order.paid', '{"order": 20, "total": "10.50"}',
                       key => 'order-20-paid', ordering_key => 'order-20');
commit;
SQL
