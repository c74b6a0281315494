-- as: abelian
-- ALTER EXTENSION UPDATE from the first version, with data in it, slices and prepared operations included.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
DROP EXTENSION abelian_cluster, abelian;
CREATE EXTENSION abelian VERSION '0.1.0';
SET abelian.split = always;
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
INSERT INTO t SELECT i, i, i FROM generate_series(1, 100) i;
UPDATE t SET c = c + 1, d = d + 0.5;
UPDATE t SET c = c + 1, d = d + 0.5 WHERE id % 2 = 0;
SELECT count(*) > 0, sum(c), sum(d) FROM abelian.slice, (SELECT sum(c) AS c, sum(d) AS d FROM t) s;
BEGIN;
UPDATE t SET c = c + 1000 WHERE id = 1;
PREPARE TRANSACTION 'before_the_update';
-- The prepared transaction holds a lock on the slice table, which gets new columns.
SET lock_timeout = 100;
ALTER EXTENSION abelian UPDATE;
RESET lock_timeout;
COMMIT PREPARED 'before_the_update';
ALTER EXTENSION abelian UPDATE;
SELECT extversion FROM pg_extension WHERE extname = 'abelian';
SELECT sum(c), sum(d) FROM t;
UPDATE t SET c = c + 1, d = d + 0.5;
ALTER TABLE t ADD high abelian.max, ADD any_of abelian.bool_or DEFAULT false;
UPDATE t SET c = c + 1, d = d - 0.5, high = greatest(high, id), any_of = any_of OR id = 7;
UPDATE t SET high = greatest(high, 50);
SELECT sum(c), sum(d), sum(high), bool_or(any_of), count(*) FILTER (WHERE any_of) FROM t;
