-- as: abelian
-- Reading an object that was never split does not look into the slice table; what got slices in any way is read with them.
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION looks() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT pg_stat_get_xact_numscans('abelian.slice_key'::regclass) + pg_stat_get_xact_numscans('abelian.slice'::regclass) $$;
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
INSERT INTO t SELECT i, i, i FROM generate_series(1, 100) i;
SELECT sum(c), sum(d) FROM t;
BEGIN;
SELECT looks() AS before \gset
SELECT sum(c), sum(d) FROM t;
SELECT c, d FROM t WHERE id = 7;
SELECT looks() - :before;
COMMIT;
-- Overwriting and deleting find nothing to remove.
BEGIN;
SELECT looks() AS before \gset
UPDATE t SET c = 70 WHERE id = 7;
DELETE FROM t WHERE id = 8;
SELECT looks() - :before;
ROLLBACK;
-- Nothing may escape SERIALIZABLE: there one must look, to be seen reading.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT looks() AS before \gset
SELECT c FROM t WHERE id = 7;
SELECT looks() > :before;
COMMIT;
-- Split: from its first slice on, whether it stays or not.
SET abelian.split = always;
BEGIN;
UPDATE t SET c = c + 1, d = d + 0.5 WHERE id = 7;
SELECT c, d FROM t WHERE id = 7;
ROLLBACK;
SELECT c, d FROM t WHERE id = 7;
UPDATE t SET c = c + 1, d = d + 0.5 WHERE id = 7;
SELECT c, d FROM t WHERE id = 7;
SELECT sum(c), sum(d) FROM t;
RESET abelian.split;
BEGIN;
SELECT looks() AS before \gset
SELECT c FROM t WHERE id = 7;
SELECT looks() > :before;
COMMIT;
-- Rows that a restore or a subscription stores.
SELECT abelian.counter_object(c) AS object FROM t WHERE id = 9 \gset
SET session_replication_role = replica;
INSERT INTO abelian.slice VALUES (:object, 1, 't'::regclass, 2, 1000, NULL);
RESET session_replication_role;
SELECT c FROM t WHERE id = 9;
-- A new database knows what its template has.
SELECT current_database() AS here, current_database() || '_copy' AS copy \gset
\c template1
CREATE DATABASE :copy TEMPLATE :here;
\c :copy
SELECT c, d FROM t WHERE id IN (7, 9) ORDER BY id;
SELECT sum(c), sum(d) FROM t;
\c :here
SELECT c, d FROM t WHERE id IN (7, 9) ORDER BY id;
DROP DATABASE :copy;
