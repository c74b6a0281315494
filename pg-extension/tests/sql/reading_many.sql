-- as: abelian
-- Reading many objects of which some are split: the same values by probes, by loading all slices, and after changes under way.
\pset format unaligned
\pset tuples_only on
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
INSERT INTO t SELECT i, i, i FROM generate_series(1, 2000) i;
UPDATE t SET c = c + 0, d = d + 0; -- gives identities, if INSERT did not
SET abelian.split = always;
UPDATE t SET c = c + 10, d = d + 0.25 WHERE id % 7 = 0;
SELECT count(*) FROM abelian.slice;
SELECT sum(c), sum(d) FROM t;
SELECT c, d FROM t WHERE id IN (6, 7) ORDER BY id;
SELECT count(*) FROM t WHERE c = id AND d = id;
-- A cursor keeps its snapshot.
BEGIN;
DECLARE old CURSOR FOR SELECT sum(c) OVER (), sum(d) OVER () FROM t;
DECLARE one_by_one CURSOR FOR SELECT c FROM t WHERE id % 7 = 0 ORDER BY id;
FETCH 2 FROM one_by_one;
UPDATE t SET c = c + 1, d = d + 1 WHERE id <= 700;
SELECT sum(c), sum(d) FROM t;
FETCH 1 FROM old;
FETCH 2 FROM one_by_one;
SAVEPOINT a;
UPDATE t SET c = c + 1, d = d + 1 WHERE id <= 700;
SELECT sum(c), sum(d) FROM t;
ROLLBACK TO a;
SELECT sum(c), sum(d) FROM t;
FETCH 1 FROM old;
COMMIT;
-- A function that changes and reads in turns.
CREATE FUNCTION change_and_read() RETURNS SETOF numeric LANGUAGE plpgsql AS $$ BEGIN
  FOR i IN 1..3 LOOP
    UPDATE t SET c = c + 1;
    RETURN QUERY SELECT sum(c) FROM t;
  END LOOP;
END $$;
SELECT * FROM change_and_read();
-- Parallel workers see what the leader sees.
BEGIN;
UPDATE t SET c = c + 1;
COMMIT;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT sum(c), sum(d) FROM t;
SELECT sum(c), sum(d) FROM t;
