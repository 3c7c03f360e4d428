#!/bin/sh
# Sends an event over HTTP. POSTRIDER_URL, POSTRIDER_KEY; curl.
set -eu
curl --fail-with-body -sS "$POSTRIDER_URL/v1/events" \
  -H "Authorization: Bearer $POSTRIDER_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "tenant": "acme", "type": "order.paid", "id": "order-17-paid",
    "ordering_key": "order-17", "payload": {"order": 17, "total": "10.50"}
  }'
