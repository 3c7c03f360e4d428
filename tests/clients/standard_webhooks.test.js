// What a receiver with the official Standard Webhooks library sees: each
// arrival of an end-to-end run verifies, byte for byte.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, chmod } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";

const binary = process.env.POSTRIDER_BINARY;
let folder, node, api, key;
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

async function until(what, check) {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function call(method, target, body) {
  const response = await fetch(`${api}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${target}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function freePort() {
  const probe = http.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

before(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  folder = await mkdtemp(path.join(tmpdir(), "postrider-clients-"));
  await chmod(folder, 0o755);
  const [port, admin] = [await freePort(), await freePort()];
  api = `http://127.0.0.1:${port}`;
  node = spawn(binary, ["serve", "--embedded", path.join(folder, "node")], {
    env: {
      ...process.env,
      POSTRIDER_API__LISTEN: `127.0.0.1:${port}`,
      POSTRIDER_ADMIN__LISTEN: `127.0.0.1:${admin}`,
      POSTRIDER_GUARD__ALLOW: "127.0.0.0/8",
    },
    stdio: "inherit",
  });
  await until("readiness", () =>
    fetch(`http://127.0.0.1:${admin}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  key = (await readFile(path.join(folder, "node/api.key"), "utf8")).trim();
  await call("PUT", "/v1/tenants/acme", { name: "Acme" });
});

after(async () => {
  receiver.close();
  if (node) {
    node.kill("SIGTERM");
    await once(node, "exit");
  }
  await rm(folder, { recursive: true, force: true });
});

function makeEndpoint(name, more = {}) {
  const { port } = receiver.address();
  return call("POST", "/v1/endpoints", {
    tenant: "acme",
    url: `http://127.0.0.1:${port}/${name}`,
    types: [`${name}.*`],
    ...more,
  });
}

/** Sends an event whose payload is this JSON text; returns its arrival. */
async function deliver(name, payload) {
  const already = arrivals.filter((one) => one.path === `/${name}`).length;
  await call(
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
