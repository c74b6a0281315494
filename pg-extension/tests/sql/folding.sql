-- as: abelian
-- Slices that nobody uses are folded into one, and no reader or writer notices.
\pset format unaligned
\pset tuples_only on
ALTER SYSTEM SET abelian.fold_after = 0;
ALTER SYSTEM SET abelian.fold_interval = 10;
SELECT pg_reload_conf();
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
INSERT INTO t SELECT i, i, i FROM generate_series(1, 100) i;
CREATE PROCEDURE wait_until_folded() LANGUAGE plpgsql AS $$ BEGIN
  FOR i IN 1..3000 LOOP
    IF NOT EXISTS (SELECT FROM abelian.slice WHERE slot <> 0) THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE 'not folded';
END $$;
UPDATE t SET c = c + 0, d = d + 0; -- gives identities, if INSERT did not
SET abelian.split = always;
UPDATE t SET c = c + 1, d = d + 0.25;
SELECT sum(c), sum(d) FROM t;
CALL wait_until_folded();
SELECT sum(c), sum(d) FROM t;
SELECT count(*), min(slot), max(slot) FROM abelian.slice;
UPDATE t SET c = c + 1, d = d + 0.25;
CALL wait_until_folded();
SELECT sum(c), sum(d) FROM t;
SELECT count(*), sum(delta), sum(amount) FROM abelian.slice;
-- A sum of zero needs no slice.
UPDATE t SET c = c - 2;
CALL wait_until_folded();
SELECT count(delta), count(amount) FROM abelian.slice;
SELECT sum(c), sum(d) FROM t;
SELECT "table", "column", slices, folded, count(*) FROM abelian.split_objects GROUP BY 1, 2, 3, 4;
SELECT folds >= 100, slices_folded >= 100 FROM abelian.statistics;
ALTER SYSTEM RESET abelian.fold_after;
ALTER SYSTEM RESET abelian.fold_interval;
SELECT pg_reload_conf();
