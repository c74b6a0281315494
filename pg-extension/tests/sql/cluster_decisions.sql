-- as: abelian
-- Commit decisions, the outcome of a transaction, tokens, the gate, labels, verifiers, preflight.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
BEGIN;
SET LOCAL synchronous_commit = off;
SELECT abelian.decide('abelian:1:r:1');
SHOW synchronous_commit;
COMMIT;
SELECT abelian.abort_decision('abelian:1:r:1'), abelian.abort_decision('abelian:1:r:2'), abelian.abort_decision('abelian:1:r:2');
\set VERBOSITY default
SELECT abelian.decide('abelian:1:r:2');
\set VERBOSITY terse
SELECT gid, abelian.transaction_outcome(gid) FROM (VALUES ('abelian:1:r:1'), ('abelian:1:r:2'), ('abelian:1:r:3')) g(gid);
-- a connection of a router is told the token of a transaction block that writes
CREATE TABLE t (a int);
SET abelian.placement_version = 1000;
BEGIN;
SHOW abelian.transaction_id;
SELECT count(*) FROM t;
SHOW abelian.transaction_id;
INSERT INTO t VALUES (1);
SELECT current_setting('abelian.transaction_id') = abelian.server_run() || ':' || pg_current_xact_id() AS reported;
SELECT current_setting('abelian.transaction_id') AS token \gset
SELECT abelian.transaction_outcome(:'token');
COMMIT;
SELECT abelian.transaction_outcome(:'token');
BEGIN;
INSERT INTO t VALUES (2);
SELECT current_setting('abelian.transaction_id') AS token \gset
ROLLBACK;
SELECT abelian.transaction_outcome(:'token');
BEGIN;
CREATE TABLE u (a int);
SELECT current_setting('abelian.transaction_id') AS token \gset
PREPARE TRANSACTION 'abelian:1:r:4';
SELECT abelian.transaction_outcome(:'token');
SELECT mode, granted FROM pg_locks WHERE pid IS NULL AND locktype = 'advisory';
COMMIT PREPARED 'abelian:1:r:4';
SELECT abelian.transaction_outcome(:'token');
SELECT abelian.transaction_outcome('1:5'), abelian.transaction_outcome((SELECT system_identifier FROM pg_control_system()) || ':99999999');
SELECT abelian.transaction_outcome('nonsense');
SELECT abelian.transaction_outcome('1:99999999999999999999999999');
-- somebody else's prepared transactions do not pass the gate
BEGIN;
INSERT INTO t VALUES (3);
PREPARE TRANSACTION 'mine';
SELECT count(*) FROM pg_locks WHERE pid IS NULL AND locktype = 'advisory';
ROLLBACK PREPARED 'mine';
-- retention
SELECT abelian.forget_decisions('1 hour'), abelian.forget_decisions('0 s', '{abelian:1:r:1}');
SELECT abelian.forget_commits('{abelian:1:r:1,abelian:1:r:9}'), count(*) FROM abelian.decision;
-- labels
SELECT abelian.session_label(pg_backend_pid()) IS NULL;
SET abelian.session = 'router:17';
SELECT abelian.session_label(pg_backend_pid());
RESET abelian.session;
SELECT abelian.session_label(pg_backend_pid()) IS NULL, abelian.session_label(0) IS NULL;
SELECT abelian.lock_modes_conflict('ShareLock', 'RowExclusiveLock'), abelian.lock_modes_conflict('ShareLock', 'ShareLock'), abelian.lock_modes_conflict('SIReadLock', 'ExclusiveLock');
-- verifiers, for router servers only
SELECT abelian.scram_verifier('app') = rolpassword, abelian.scram_verifier('abelian_router') IS NULL, abelian.scram_verifier('nobody') IS NULL FROM pg_authid WHERE rolname = 'app';
SELECT r, has_function_privilege(r, 'abelian.scram_verifier(name)', 'EXECUTE') FROM unnest(ARRAY['app', 'abelian_router', 'abelian_server', 'router']) r;
SELECT * FROM abelian.preflight() WHERE problem NOT LIKE 'fsync is off%'; -- which it is for tests
CREATE ROLE stranger_to_decisions;
SET SESSION AUTHORIZATION stranger_to_decisions;
SELECT abelian.scram_verifier('app');
SELECT abelian.abort_decision('abelian:1:r:5');
SELECT * FROM abelian.wait_edges();
SELECT abelian.snapshot_gate(1);
SELECT abelian.decide('abelian:1:r:6');
SELECT abelian.transaction_outcome('abelian:1:r:6');
RESET SESSION AUTHORIZATION;
DROP ROLE stranger_to_decisions;
