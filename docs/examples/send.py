"""Sends an event over HTTP. POSTRIDER_URL, POSTRIDER_KEY; Python 3, no package."""
import json
import os
import urllib.request

request = urllib.request.Request(
    os.environ["POSTRIDER_URL"] + "/v1/events",
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["POSTRIDER_KEY"],
        "Content-Type": "application/json",
    },
    data=json.dumps(
        {
            "tenant": "acme",
            "type": "order.paid",
            "id": "order-19-paid",
            "ordering_key": "order-19",
            "payload": {"order": 19, "total": "10.50"},
        }
    ).encode(),
)
with urllib.request.urlopen(request, timeout=10) as response:
    print(json.load(response))
