-- as: abelian
-- What waits for a prepared transaction (isolationtester does not see such waits): refusal of an outdated router when the
-- placement changed by COMMIT PREPARED, the gate, the wait graph.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION dblink;
CREATE FUNCTION connect(name text, settings text) RETURNS text LANGUAGE sql AS $$
  SELECT dblink_connect(name, format('host=127.0.0.1 port=%s dbname=%s user=abelian password=abelian options=''%s''', inet_server_port(), current_database(), settings))
$$;
-- Sends a statement and returns when it waits for a lock (bounded; then the test fails by what it prints next).
CREATE FUNCTION send_and_wait(name text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  backend int := (SELECT p FROM dblink(name, 'SELECT pg_backend_pid()') AS x(p int));
BEGIN
  PERFORM dblink_send_query(name, statement);
  FOR attempt IN 1..1000 LOOP
    PERFORM pg_stat_clear_snapshot();
    IF EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = backend AND wait_event_type = 'Lock') THEN
      RETURN 'waits';
    END IF;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RETURN 'does not wait';
END $$;
-- The SQLSTATE and message, or the first column.
CREATE FUNCTION result(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
BEGIN
  SELECT r INTO answer FROM dblink_get_result(name) AS x(r text);
  PERFORM * FROM dblink_get_result(name) AS x(r text);
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE t (k int PRIMARY KEY, v int);
INSERT INTO abelian.node VALUES (1, '127.0.0.1', 1);

SELECT connect('router', '-cabelian.placement_version=1 -cabelian.session=router:1');
BEGIN;
SELECT create_distributed_table('t', 'k');
PREPARE TRANSACTION 'abelian:1:test:1';
SELECT send_and_wait('router', 'UPDATE t SET v = 1');
SELECT waiter_session, waiter_query, blocker_pid IS NULL, blocker_gid FROM abelian.wait_edges();
COMMIT PREPARED 'abelian:1:test:1';
SELECT result('router');
SELECT dblink_disconnect('router');

-- the change that is rolled back refuses nobody
SELECT connect('router', '-cabelian.placement_version=2');
BEGIN;
SELECT undistribute_table('t');
PREPARE TRANSACTION 'abelian:1:test:2';
SELECT send_and_wait('router', 'INSERT INTO t VALUES (1, 1)');
ROLLBACK PREPARED 'abelian:1:test:2';
SELECT result('router');

-- a prepared transaction of ours holds readers off
BEGIN;
UPDATE t SET v = v + 1;
PREPARE TRANSACTION 'abelian:1:test:3';
SELECT abelian.snapshot_gate(20);
SELECT send_and_wait('router', 'SELECT abelian.snapshot_gate(60000)');
-- who waits at the gate gives up by himself, and has no part in deadlocks
SELECT blocker_gid FROM abelian.wait_edges();
COMMIT PREPARED 'abelian:1:test:3';
SELECT result('router');
SELECT dblink_disconnect('router');
