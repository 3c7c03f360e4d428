"""Receives and verifies webhooks. WEBHOOK_SECRET, PORT; Python 3, no package."""
import base64
import hashlib
import hmac
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()  # keep it where a restart does not lose it


def genuine(headers, body):
    sent, stamp = headers["webhook-id"], headers["webhook-timestamp"]
    if not sent or not stamp or abs(time.time() - int(stamp)) > 300:
        return False
    signed = sent.encode() + b"." + stamp.encode() + b"." + body
    ours = base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
    return any(
        hmac.compare_digest(one, "v1," + ours)
        for one in headers.get("webhook-signature", "").split(" ")
    )


class Hooks(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        good = genuine(self.headers, body)
        if good and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            print(self.headers["webhook-id"], body.decode(), flush=True)
        self.send_response(204 if good else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Hooks)
print("ready", flush=True)
server.serve_forever()
