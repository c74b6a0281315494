-- as: abelian
-- Slices that stay behind when their row goes are collected, and no others.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET abelian.split = always;
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter, s abelian.set, large abelian.set);
CREATE VIEW rows_and_slices AS SELECT (SELECT count(*) FROM t) AS rows, (SELECT count(DISTINCT object) FROM abelian.slice WHERE relation = 't'::regclass) AS split;
CREATE VIEW sums AS SELECT sum(c) AS c, sum(d) AS d, string_agg(s::text, ' ' ORDER BY id) AS s, sum(cardinality(large::text[])) AS large FROM t;
CREATE PROCEDURE operate() LANGUAGE sql AS $$
  UPDATE t SET c = c + 1, d = d + 0.5, s = abelian.add(s, 'x' || id), large = abelian.add(large, 'y');
$$;
INSERT INTO t SELECT i, i, i, '{a}', array(SELECT md5(n::text) FROM generate_series(1, 300) n) FROM generate_series(1, 10) i;
CALL operate();
CALL operate();
SELECT * FROM rows_and_slices;
SELECT abelian.collect_orphans('t'), abelian.collect_orphans();
SELECT * FROM sums;

-- By hand, in the transaction that leaves them; a rollback brings back both.
BEGIN;
WITH gone AS (DELETE FROM t WHERE id <= 2 RETURNING c) SELECT sum(c) FROM gone;
SELECT * FROM rows_and_slices;
SELECT abelian.collect_orphans('t');
SELECT * FROM rows_and_slices;
ROLLBACK;
SELECT * FROM rows_and_slices;
SELECT * FROM sums;
BEGIN;
SAVEPOINT a;
DELETE FROM t WHERE id <= 2 RETURNING c;
ROLLBACK TO a;
SELECT abelian.collect_orphans('t');
COMMIT;

-- By the worker, whatever leaves them.
CREATE PROCEDURE wait_until_collected() LANGUAGE plpgsql AS $$
DECLARE
  state record;
BEGIN
  FOR i IN 1..3000 LOOP
    SELECT * INTO state FROM rows_and_slices;
    IF state.split = 4 * state.rows THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE 'not collected: %', state;
END $$;
ALTER SYSTEM SET abelian.fold_interval = 10;
SELECT pg_reload_conf();
DELETE FROM t WHERE id = 1 RETURNING c, d, s;
CALL wait_until_collected();
SELECT * FROM rows_and_slices;
SELECT * FROM sums;
MERGE INTO t USING (VALUES (2)) v(id) ON t.id = v.id WHEN MATCHED THEN DELETE;
CALL wait_until_collected();
SELECT * FROM rows_and_slices;
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE OLD.id % 2 WHEN 0 THEN OLD END; END $$;
CREATE TRIGGER suppress BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION suppress();
DELETE FROM t WHERE id IN (3, 4);
CALL wait_until_collected();
SELECT * FROM rows_and_slices;
SELECT id, c FROM t WHERE id = 3;
DROP TRIGGER suppress ON t;
SELECT * FROM sums;

-- Overwritten, before a trigger that sees the old row.
CREATE TABLE audit (c text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit VALUES (OLD.c); RETURN NULL; END $$;
CREATE TRIGGER note AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION note();
UPDATE t SET c = 0, d = 0, s = '{}', large = '{}' WHERE id = 5;
DROP TRIGGER note ON t;
SELECT * FROM audit;
CREATE PROCEDURE wait_for(objects int) LANGUAGE plpgsql AS $$
DECLARE
  state record;
BEGIN
  FOR i IN 1..3000 LOOP
    SELECT * INTO state FROM rows_and_slices;
    IF state.split = objects THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE 'not collected: %', state;
END $$;
CALL wait_for(24);
SELECT * FROM rows_and_slices;
DROP VIEW sums;
ALTER TABLE t ALTER c TYPE abelian.counter USING c;
CALL wait_for(18);
SELECT * FROM rows_and_slices;
SELECT sum(c) FROM t;

-- What nobody knows how it came there: of a table that is gone, of one that keeps no rows, of a column that is gone.
CREATE VIEW a_view AS SELECT c FROM t;
SELECT abelian.collect_orphans();
INSERT INTO abelian.slice (object, slot, relation, attribute, delta) VALUES (1000000, 0, 4000000, 2, 5), (1000001, 0, 'a_view'::regclass, 1, 5), (1000002, 0, 't'::regclass, 9, 5), (1000003, 0, 't'::regclass, 2, 5);
SELECT abelian.collect_orphans();
SELECT * FROM rows_and_slices;
SELECT orphans_collected >= 20 FROM abelian.statistics;
-- A type that is not known any more keeps its slices.
SELECT abelian.create_type('high', 'max(int)');
CREATE TABLE u (n high);
INSERT INTO u VALUES (1);
UPDATE u SET n = greatest(n, 2);
UPDATE u SET n = greatest(n, 3);
SECURITY LABEL FOR abelian ON TYPE high IS NULL;
SELECT abelian.collect_orphans('u');
SECURITY LABEL FOR abelian ON TYPE high IS 'pg_catalog.max(pg_catalog.int4)';
SELECT n FROM u;

-- Who may.
SET SESSION AUTHORIZATION app;
SELECT abelian.collect_orphans();
SELECT abelian.collect_orphans('t');
CREATE TABLE mine (c abelian.counter);
SELECT abelian.collect_orphans('mine');
RESET SESSION AUTHORIZATION;
ALTER SYSTEM RESET abelian.fold_interval;
SELECT pg_reload_conf();
