// Sends an event over HTTP. POSTRIDER_URL, POSTRIDER_KEY; Node 18 or later.
const { POSTRIDER_URL, POSTRIDER_KEY } = process.env;

const response = await fetch(`${POSTRIDER_URL}/v1/events`, {
  method: "POST",
  headers: {
    authorization: `Bearer ${POSTRIDER_KEY}`,
    "content-type": "application/json",
  },
  body: JSON.stringify({
    tenant: "acme",
    type: "order.paid",
    id: "order-18-paid", // sent again after a doubtful answer, it is one event
    ordering_key: "order-18",
    payload: { order: 18, total: "10.50" },
  }),
  signal: AbortSignal.timeout(10_000),
});
// 201: it is in the database, with all its deliveries. 200: it was already.
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());
