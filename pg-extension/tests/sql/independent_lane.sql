-- as: abelian
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
-- The node side of independent transactions, as a router uses it.
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
INSERT INTO account VALUES (1, 100);

-- Never used: closed, and nobody is concerned.
SELECT (abelian.independent_state())[1] AS run, (abelian.independent_state())[3] AS open;
SELECT abelian.independent_propose('t1', 1, '{1,2}', '{1,1}', 0) AS refused_closed;
BEGIN; SELECT abelian.decide('abelian:1:00000000-0000-0000-0000-000000000001:1-1'); COMMIT;

-- Opened for its first run, although two routers begin to let it catch up.
SELECT abelian.independent_next_run(), abelian.independent_next_run();
SELECT abelian.independent_begin_run(1), abelian.independent_begin_run(2), abelian.independent_open(2), abelian.independent_open(1);
SELECT (abelian.independent_state())[1] AS run, (abelian.independent_state())[3] AS open;
SELECT abelian.independent_propose('t1', 1, '{1,2}', '{0,1}', 0) AS refused_outdated;
SELECT abelian.independent_propose('t1', 1, '{1,2}', '{1,1}', 9e18::bigint) AS proposal \gset
SELECT :proposal > 0 AS accepted, abelian.independent_propose('t1', 1, '{1,2}', '{1,1}', 9e18::bigint) AS refused_settled;
SELECT abelian.independent_pending(-1000);

-- Executed at a later timestamp.
BEGIN;
SELECT abelian.independent_run('t1', :proposal + 5, 1, '{1,2}', 'UPDATE account SET balance = balance + 1');
SET LOCAL abelian.participants = ''; -- a statement that is no call
UPDATE account SET balance = balance + 1;
COMMIT;
SELECT abelian.independent_flush();
SELECT abelian.independent_pending(-1000), (abelian.independent_state())[2] >= :proposal + 5 AS moved;
SELECT id, participants, intent, failure FROM abelian.independent_record;
SELECT at = :proposal + 5 AS moved, id FROM abelian.independent_lane;

-- A second time it is refused, also by completion; freezing it gives the record.
BEGIN;
SELECT abelian.independent_run('t1', :proposal + 5, 1, '{1,2}', '');
ROLLBACK;
SELECT abelian.independent_complete('t1', :proposal + 5, '{1,2}', '', current_user, NULL) AS done_before;
SELECT id, intent FROM abelian.independent_freeze('t1');

-- A fragment that fails keeps its place; frozen, it is executed by completion alone.
SELECT abelian.independent_propose('t2', 1, '{1,2}', '{1,1}', 9e18::bigint) AS proposal \gset
BEGIN;
SELECT abelian.independent_run('t2', :proposal, 1, '{1,2}', 'SELECT 1');
SELECT 1 / 0;
ROLLBACK;
SELECT abelian.independent_pending(-1000);
SELECT count(*) FROM abelian.independent_freeze('t2');
SELECT abelian.independent_run('t2', :proposal, 1, '{1,2}', 'SELECT 1');
SELECT abelian.independent_complete('t2', :proposal, '{1,2}', 'SELECT 1', current_user, NULL) AS completed;
SELECT count(*) FROM abelian.independent_freeze('t2');

-- Cancelled.
SELECT abelian.independent_propose('t3', 1, '{1,2}', '{1,1}', 9e18::bigint) > 0 AS accepted;
SELECT count(*) FROM abelian.independent_freeze('t3');
SELECT abelian.independent_cancel('t3');
SELECT abelian.independent_pending(-1000), abelian.independent_propose('t3', 1, '{1,2}', '{1,1}', 9e18::bigint) AS refused_settled;

-- A coordinated commit waits for what is pending, and refuses what comes.
SET lock_timeout = '20ms';
SELECT abelian.independent_propose('t4', 1, '{1}', '{1}', 9e18::bigint) > 0 AS accepted;
BEGIN; SELECT abelian.decide('abelian:1:00000000-0000-0000-0000-000000000001:1-2'); COMMIT;
SELECT abelian.snapshot_gate(20);
SELECT abelian.independent_cancel('t4');
BEGIN; SELECT abelian.decide('abelian:1:00000000-0000-0000-0000-000000000001:1-3'); COMMIT;
RESET lock_timeout;

-- A peer catches up: what names its earlier run is frozen, and refused.
SELECT abelian.independent_propose('t5', 1, '{1,2}', '{1,1}', 9e18::bigint) > 0 AS accepted;
SELECT id FROM abelian.independent_executed(2, 2, 0, '') ORDER BY at;
SELECT abelian.independent_propose('t6', 1, '{1,2}', '{1,1}', 9e18::bigint) AS refused_fenced;
SELECT abelian.independent_propose('t6', 1, '{1,2}', '{1,2}', 9e18::bigint) > 0 AS accepted;
SELECT abelian.independent_cancel('t5'), abelian.independent_cancel('t6');

-- Retention.
SELECT abelian.independent_sweep('0', '{1}', '{9000000000000000000}', '{x}') AS one_participant_is_unknown;
SELECT abelian.independent_sweep('0', '{1,2}', '{9000000000000000000,1}', '{x,x}') AS one_participant_lags;
SELECT abelian.independent_sweep('0', '{1,2}', '{9000000000000000000,9000000000000000000}', '{x,x}') AS swept;
SELECT abelian.independent_forget('{t1,t2}');

-- Nobody runs a fragment as somebody else.
SELECT abelian.independent_propose('t7', 1, '{1}', '{1}', 9e18::bigint) AS proposal \gset
SET SESSION AUTHORIZATION app;
SELECT abelian.independent_complete('t7', :proposal, '{1}', 'SELECT 1', 'abelian', NULL);
SELECT abelian.independent_catch_up(1, 't7', :proposal, '{1}', 'SELECT 1', 'abelian', NULL);
SELECT abelian.run_call('abelian', '', 1, '{1}', 'SELECT 1');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT abelian.independent_run('t7', :proposal, 1, '{1}', 'SELECT 1');
ROLLBACK;
SELECT abelian.independent_freeze('t7');
SELECT abelian.independent_run('t7', :proposal, 1, '{1}', 'SELECT 1');
RESET SESSION AUTHORIZATION;

SELECT abelian.independent_cancel('t7');

-- The same without SQL: the record and the watermark, and who takes part; at READ COMMITTED only.
SELECT abelian.independent_propose('t8', 1, '{1,2}', '{1,2}', 9e18::bigint) AS proposal \gset
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT abelian.independent_propose('t9', 1, '{1,2}', '{1,2}', 9e18::bigint) AS refused_isolation;
SELECT abelian.independent_run('t8', :proposal, 1, '{1,2}', 'SELECT 1');
ROLLBACK;
SET SESSION AUTHORIZATION app;
SET search_path = pg_catalog, "it's";
BEGIN;
SELECT abelian.independent_run('t8', :proposal + 3, 1, '{1,2}', 'SELECT ''1''');
SHOW abelian.participants;
SHOW synchronous_commit;
COMMIT;
SHOW synchronous_commit;
RESET search_path;
RESET SESSION AUTHORIZATION;
SELECT id, at = :proposal + 3 AS at_final, participants, intent, role, failure, executed_at > now() - interval '1 hour' AS now FROM abelian.independent_record WHERE id = 't8';
SELECT at = :proposal + 3 AS moved, id FROM abelian.independent_lane;
SELECT abelian.independent_run('t8', :proposal + 3, 1, '{1,2}', 'SELECT 1');

-- Several calls in one transaction: each of the statements that follow is one, and ends as a transaction would, with the checks that were put
-- off to its end, and without what it has set.
SELECT abelian.add_node('localhost', 5432);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (parent int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
CREATE PROCEDURE add_child(number int) LANGUAGE plpgsql AS $$ BEGIN SET LOCAL work_mem = '7MB'; INSERT INTO child VALUES (number); END $$;
CREATE FUNCTION add_parent(number int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO parent VALUES (number); RETURN current_setting('work_mem'); END $$;
CREATE FUNCTION add_orphan(number int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO child VALUES (number); RETURN 'done'; END $$;
SELECT abelian.independent_propose('t10', 1, '{1,2}', '{1,2}', 9e18::bigint) AS proposal \gset
BEGIN;
SELECT abelian.independent_run_calls('t10', :proposal, 1, '{1,2}', 'SELECT 1');
SHOW abelian.participants;
CALL add_child(1);
ROLLBACK;
BEGIN;
SELECT abelian.independent_run_calls('t10', :proposal, 1, '{1,2}', 'SELECT 1');
SELECT add_orphan(1);
ROLLBACK;
BEGIN;
SELECT abelian.independent_run_calls('t10', :proposal, 1, '{1,2}', 'SELECT 1');
SELECT add_parent(1) <> '7MB' AS not_changed;
CALL add_child(1);
SELECT add_parent(2) <> '7MB' AS not_changed;
COMMIT;
SELECT count(*) FROM child;
SELECT id, intent FROM abelian.independent_record WHERE id = 't10';
-- Told alone, with a single call, they are put off to the commit.
BEGIN;
SELECT set_config('abelian.participants', '1:1,2', true);
CALL add_child(3);
SELECT add_parent(3) = '7MB' AS changed;
COMMIT;
BEGIN;
SELECT abelian.tell_calls(1, '{1,2}');
SHOW abelian.participants;
CALL add_child(4);
ROLLBACK;

-- Of the calls that failed, that of the procedure which is stopped has been dealt with.
UPDATE abelian.independent_record SET intent = E'SET x;\n--abelian procedure a()\nCALL a()\n--abelian procedure b()\nCALL b()\n--abelian procedure c()\nCALL c()',
  failure = E'\n--abelian procedure a()\ncall 0: 23514 no\n--abelian procedure b()\ncall 1: 23514 no' WHERE id = 't10';
SELECT abelian.stop_procedure('c()', 'why');
SELECT failure FROM abelian.independent_record WHERE id = 't10';
SELECT abelian.stop_procedure('a()', 'why');
SELECT failure FROM abelian.independent_record WHERE id = 't10';
DROP TABLE child, parent;
DROP PROCEDURE add_child;
DROP FUNCTION add_parent, add_orphan;
