// Publishes from SQL, in the transaction of your own data. DATABASE_URL; pg.
import pg from "pg";

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
try {
  await client.query("begin");
  await client.query("create temporary table orders (id int, total text)");
  await client.query("insert into orders values ($1, $2)", [21, "10.50"]);
  const { rows } = await client.query(
    `select * from postrider.publish($1, $2, $3,
                                     key => $4, ordering_key => $5)`,
    [
      "acme",
      "order.paid",
      JSON.stringify({ order: 21, total: "10.50" }),
      "order-21-paid",
      "order-21",
    ],
  );
  await client.query("commit"); // both, or neither
  console.log(rows[0]);
} finally {
  await client.end();
}
