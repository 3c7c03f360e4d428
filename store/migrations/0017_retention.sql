-- Idempotency keys are dropped by their age. Keys come in the order of their
-- times, so each goes to the end of the index.
create index event_key_created_at on postrider.event_key (created_at);
