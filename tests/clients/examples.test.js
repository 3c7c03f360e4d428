// The examples of the documents, as they stand there: each event that one of
// them sends reaches each of the example receivers, which verifies it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, startNode, until } from "./node.js";

const here = path.dirname(fileURLToPath(import.meta.url));
const examples = path.join(here, "../../docs/examples");
// Debian's own has Debian's psycopg2.
const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
const receivers = [];
let node, folder;

function start(file, env) {
  const [program, ...args] = file.endsWith(".py")
    ? [python, path.join(examples, file)]
    : file.endsWith(".js")
      ? [process.execPath, path.join(folder, file)]
      : ["sh", path.join(examples, file)];
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  const run = { child, out: "", err: "" };
  child.stdout.on("data", (text) => (run.out += text));
  child.stderr.on("data", (text) => (run.err += text));
  return run;
}

async function receive(file) {
  const port = await freePort();
  const { secret } = await node.call("POST", "/v1/endpoints", {
    tenant: "acme",
    url: `http://127.0.0.1:${port}/hooks`,
    types: ["order.*"],
  });
  const run = start(file, { PORT: port, WEBHOOK_SECRET: secret });
  receivers.push(run);
  await until(`${file} to listen`, () => run.out.includes("ready"));
}

before(async () => {
  // Where the JavaScript finds its packages.
  folder = await mkdtemp(path.join(tmpdir(), "postrider-examples-"));
  await symlink(path.join(here, "node_modules"), path.join(folder, "node_modules"));
  await symlink(path.join(here, "package.json"), path.join(folder, "package.json"));
  for (const file of ["send.js", "publish.js", "receive.js"])
    await copyFile(path.join(examples, file), path.join(folder, file));
  node = await startNode();
  await receive("receive.js");
  await receive("receive.py");
});

after(async () => {
  for (const { child } of receivers) child.kill("SIGKILL");
  await node?.stop();
  await rm(folder, { recursive: true, force: true });
});

const senders = {
  "send.sh": 17,
  "send.js": 18,
  "send.py": 19,
  "publish.sh": 20,
  "publish.js": 21,
  "publish.py": 22,
};
for (const [file, order] of Object.entries(senders))
  test(`what ${file} sends arrives once at each receiver, verified`, async () => {
    // Twice: its key makes one event of it.
    for (let i = 0; i < 2; ++i) {
      const run = start(file, {
        POSTRIDER_URL: node.api,
        POSTRIDER_KEY: node.key,
        DATABASE_URL: node.database,
      });
      const [code] = await once(run.child, "exit");
      assert.equal(code, 0, run.err);
    }
    const sent = (run) =>
      run.out.split("\n").filter((line) => line.includes(`"order": ${order}`)
        || line.includes(`"order":${order}`));
    for (const run of receivers)
      await until(`order ${order}`, () => sent(run).length > 0);
    for (const run of receivers) assert.equal(sent(run).length, 1);
  });

test("a receiver turns away what is not signed with its secret", async () => {
  for (const { child } of receivers) assert.equal(child.exitCode, null);
  const { data } = await node.call("GET", "/v1/endpoints?tenant=acme");
  for (const { url } of data) {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "webhook-id": "dlv_1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": "v1,AAAA",
      },
      body: "{}",
    });
    assert.equal(answer.status, 401);
  }
});
