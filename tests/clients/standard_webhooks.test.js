// What a receiver with the official Standard Webhooks library sees: each
// arrival of an end-to-end run verifies, byte for byte.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { startNode, until } from "./node.js";

let node;
const arrivals = [];
const receiver = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  arrivals.push({
    path: request.url,
    headers: request.headers,
    body: Buffer.concat(chunks),
  });
  response.writeHead(204).end();
});

before(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  node = await startNode();
});

after(async () => {
  receiver.close();
  await node?.stop();
});

function makeEndpoint(name, more = {}) {
  const { port } = receiver.address();
  return node.call("POST", "/v1/endpoints", {
    tenant: "acme",
    url: `http://127.0.0.1:${port}/${name}`,
    types: [`${name}.*`],
    ...more,
  });
}

/** Sends an event whose payload is this JSON text; returns its arrival. */
async function deliver(name, payload) {
  const already = arrivals.filter((one) => one.path === `/${name}`).length;
  await node.call(
    "POST",
    "/v1/events",
    `{"tenant":"acme","type":"${name}.sent","payload":${payload}}`,
  );
  return until(`an arrival at ${name}`, () => {
    const seen = arrivals.filter((one) => one.path === `/${name}`);
    return seen.length > already && seen[already];
  });
}

test("the library verifies every payload, byte for byte as it was sent", async () => {
  const { secret } = await makeEndpoint("shapes");
  const webhook = new Webhook(secret);
  for (const payload of [
    "{}",
    '{ "spaces" :\t[1,  2 ] }',
    '{"long":12345678901234567890123,"digits":1.10}',
    '{"b":1,"a":2,"b":3}',
    '"text"',
    '{"umlaut":"äöü","escaped":"\\u00e4","emoji":"📮"}',
    `{"large":"${"x".repeat(100_000)}"}`,
  ]) {
    const arrival = await deliver("shapes", payload);
    assert.equal(arrival.body.toString(), payload);
    assert.deepEqual(
      webhook.verify(arrival.body.toString(), arrival.headers),
      JSON.parse(payload),
    );
  }
});

test("the library refuses a changed body, another secret and an old time", async () => {
  const { secret } = await makeEndpoint("strict");
  const webhook = new Webhook(secret);
  const { body, headers } = await deliver("strict", '{"amount":10}');
  webhook.verify(body.toString(), headers);
  assert.throws(() => webhook.verify('{"amount":11}', headers));
  const other = new Webhook(Buffer.alloc(32, 7).toString("base64"));
  assert.throws(() => other.verify(body.toString(), headers));
  const old = String(Number(headers["webhook-timestamp"]) - 302);
  assert.throws(() =>
    webhook.verify(body.toString(), { ...headers, "webhook-timestamp": old }),
  );
});

test("a secret that the caller chose is the one that signs", async () => {
  const secret = `whsec_${Buffer.alloc(24, 42).toString("base64")}`;
  await makeEndpoint("chosen", { secret });
  const { body, headers } = await deliver("chosen", '{"n":1}');
  new Webhook(secret).verify(body.toString(), headers);
});

test("our signature is the library's own for the same message", async () => {
  const { secret } = await makeEndpoint("same");
  const { body, headers } = await deliver("same", '{"n":2}');
  const expected = new Webhook(secret).sign(
    headers["webhook-id"],
    new Date(Number(headers["webhook-timestamp"]) * 1000),
    body.toString(),
  );
  assert.equal(headers["webhook-signature"], expected);
});
