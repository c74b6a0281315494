-- Connections to nodes are used by one role's sessions in turn: what a session leaves on one is gone for the next.
-- as: client
SET work_mem = '77kB';
SET search_path = nowhere;
SELECT set_config('app.tenant', 'other', false);
--= other
SELECT pg_advisory_lock(4711), pg_advisory_lock_shared(4712);
--= |
RESET search_path;
CREATE TEMP TABLE left_behind (i int);
CREATE FUNCTION pg_temp.now() RETURNS int LANGUAGE sql AS 'SELECT 1';
BEGIN;
DECLARE open CURSOR WITH HOLD FOR SELECT 1;
COMMIT;
PREPARE trap AS SELECT 1;
LISTEN trap;
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;
-- as: client
SELECT current_setting('work_mem') = '77kB', current_setting('search_path'), coalesce(current_setting('app.tenant', true), '') = '', current_setting('transaction_read_only');
--= f|"$user", public|t|off
SELECT to_regclass('left_behind') IS NULL, to_regclass('pg_temp.left_behind') IS NULL;
--= t|t
-- As with one PostgreSQL, the session before ends a moment after its client has gone.
DO $$ BEGIN
  FOR i IN 1..300 LOOP
    EXIT WHEN NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid IN (4711, 4712));
    PERFORM pg_sleep(0.1);
  END LOOP;
END $$;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid IN (4711, 4712);
--= 0
SELECT count(*) FROM pg_cursors WHERE name = 'open';
--= 0
SELECT count(*) FROM pg_prepared_statements WHERE name = 'trap';
--= 0
EXECUTE trap;
--! 26000
FETCH open;
--! 34000
-- Another role is on other connections.
-- as: stranger
SELECT current_user, session_user, count(*) FROM pg_stat_activity WHERE pid = pg_backend_pid() AND usename = 'stranger' GROUP BY 1, 2;
--= stranger|stranger|1
