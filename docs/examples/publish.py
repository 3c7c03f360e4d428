"""Publishes from SQL, in the transaction of your own data. DATABASE_URL; psycopg2."""
import json
import os

import psycopg2

connection = psycopg2.connect(os.environ["DATABASE_URL"])
with connection, connection.cursor() as cursor:  # commits both, or neither
    cursor.execute("create temporary table orders (id int, total text)")
    cursor.execute("insert into orders values (%s, %s)", (22, "10.50"))
    cursor.execute(
        "select * from postrider.publish(%s, %s, %s,"
        " key => %s, ordering_key => %s)",
        (
            "acme",
            "order.paid",
            json.dumps({"order": 22, "total": "10.50"}),
            "order-22-paid",
            "order-22",
        ),
    )
    print(cursor.fetchone())
connection.close()
