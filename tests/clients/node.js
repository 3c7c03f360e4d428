// A node with a database of its own, for the tests in JavaScript.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, chmod } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

/** Polls until `check` answers something true, and returns that. */
export async function until(what, check) {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

export async function freePort() {
  const probe = http.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/**
 * Starts `postrider serve --embedded` with the tenant acme. Answers `api`,
 * `key`, `database` (a URL), `call` and `stop`.
 */
export async function startNode() {
  const folder = await mkdtemp(path.join(tmpdir(), "postrider-clients-"));
  await chmod(folder, 0o755);
  const data = path.join(folder, "node");
  const [port, admin] = [await freePort(), await freePort()];
  const api = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.env.POSTRIDER_BINARY,
    ["serve", "--embedded", data],
    {
      env: {
        ...process.env,
        POSTRIDER_API__LISTEN: `127.0.0.1:${port}`,
        POSTRIDER_ADMIN__LISTEN: `127.0.0.1:${admin}`,
        POSTRIDER_GUARD__ALLOW: "127.0.0.0/8",
      },
      stdio: "inherit",
    },
  );
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until("readiness", () => {
      assert.equal(child.exitCode, null, "the node has ended");
      return fetch(`http://127.0.0.1:${admin}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
    });
  } catch (fault) {
    await stop();
    throw fault;
  }
  const key = (await readFile(path.join(data, "api.key"), "utf8")).trim();
  const call = async (method, target, body) => {
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
  };
  await call("PUT", "/v1/tenants/acme", { name: "Acme" });
  const database = `postgresql://postrider@/postrider?host=${data}/run`;
  return { api, key, database, call, stop };
}
