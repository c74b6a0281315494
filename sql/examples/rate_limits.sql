-- Rate limits and quotas: requests of one client are counted side by side, and the bound refuses those that are too many.
-- Runs on: node.
CREATE SCHEMA limits;
SET search_path = limits;

-- At most 5 requests of a client in each minute: a row for each minute, with a ceiling.
CREATE TABLE request_rate (
  client text,
  minute timestamptz,
  requests abelian.bounded_counter(0, 5) NOT NULL DEFAULT 0,
  PRIMARY KEY (client, minute)
);

-- True if the request may pass. The row is made by the first request of the minute; the others only add.
CREATE FUNCTION admit(who text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  this_minute timestamptz := date_trunc('minute', at);
BEGIN
  UPDATE request_rate SET requests = requests + 1 WHERE client = who AND minute = this_minute;
  IF NOT found THEN
    INSERT INTO request_rate (client, minute) VALUES (who, this_minute) ON CONFLICT DO NOTHING;
    UPDATE request_rate SET requests = requests + 1 WHERE client = who AND minute = this_minute;
  END IF;
  RETURN true;
EXCEPTION WHEN check_violation THEN
  RETURN false;
END $$;
SELECT i AS request, admit('ann', '2024-05-05 12:00:00Z') AS admitted FROM generate_series(1, 7) i;
SELECT admit('ann', '2024-05-05 12:01:00Z') AS next_minute, admit('bob', '2024-05-05 12:00:30Z') AS another_client;

-- A quota: bytes that a tenant may store, drawn from concurrently and given back.
CREATE TABLE quota (
  tenant text PRIMARY KEY,
  bytes_left abelian.bounded_counter(0) NOT NULL
);
INSERT INTO quota VALUES ('acme', 1000000);
UPDATE quota SET bytes_left = bytes_left - 600000 WHERE tenant = 'acme';
UPDATE quota SET bytes_left = bytes_left - 600000 WHERE tenant = 'acme';
UPDATE quota SET bytes_left = bytes_left + 200000 WHERE tenant = 'acme';
UPDATE quota SET bytes_left = bytes_left - 600000 WHERE tenant = 'acme';
SELECT * FROM quota;

-- Old minutes are of no use any more.
DELETE FROM request_rate WHERE minute < '2024-05-05 12:01:00Z';
SELECT client, requests FROM request_rate;

DROP SCHEMA limits CASCADE;
