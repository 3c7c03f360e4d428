// Receives and verifies webhooks. WEBHOOK_SECRET, PORT; standardwebhooks.
import http from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // keep it where a restart does not lose it

http
  .createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString(); // the bytes, not parsed
    try {
      webhook.verify(body, request.headers);
    } catch {
      return response.writeHead(401).end();
    }
    const id = request.headers["webhook-id"]; // the same on every attempt
    if (!seen.has(id)) console.log(id, body);
    seen.add(id);
    response.writeHead(204).end(); // answer soon, work afterwards
  })
  .listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
