-- as: abelian
-- Whatever removes a table, a column or all rows removes their slices, in the same transaction.
\pset format unaligned
\pset tuples_only on
SET abelian.split = always;
CREATE VIEW left_over AS SELECT count(*) FROM abelian.slice;
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
CREATE TABLE u (id int PRIMARY KEY, c abelian.counter);
INSERT INTO t SELECT i, i, i FROM generate_series(1, 10) i;
INSERT INTO u SELECT i, i FROM generate_series(1, 10) i;
-- The first operation on a row may give it its identity; the others go to slices.
UPDATE t SET c = c + 0, d = d + 0;
UPDATE u SET c = c + 0;
CREATE PROCEDURE operate() LANGUAGE sql AS $$
  UPDATE t SET c = c + 1, d = d + 0.5;
  UPDATE u SET c = c + 1;
$$;
CALL operate();
SELECT count(*) FROM abelian.slice WHERE relation = 't'::regclass;
SELECT count(*) FROM abelian.slice WHERE relation = 'u'::regclass;
-- Rolled back, everything is as before.
BEGIN;
DROP TABLE t;
SELECT * FROM left_over;
ROLLBACK;
BEGIN;
TRUNCATE t, u;
SELECT * FROM left_over;
ROLLBACK;
BEGIN;
ALTER TABLE t DROP COLUMN c;
SELECT * FROM left_over;
ROLLBACK;
SELECT sum(c), sum(d) FROM t;
-- Types there and back.
ALTER TABLE t ALTER c TYPE bigint, ALTER d TYPE numeric(12, 2);
SELECT sum(c), sum(d), max(d) FROM t;
SELECT * FROM left_over;
ALTER TABLE t ALTER c TYPE abelian.counter, ALTER d TYPE abelian.decimal_counter;
UPDATE t SET c = c + 0, d = d + 0;
CALL operate();
SELECT sum(c), sum(d) FROM t;
-- In one transaction with operations on it.
BEGIN;
CALL operate();
ALTER TABLE t ALTER c TYPE bigint;
SELECT sum(c), sum(d) FROM t;
COMMIT;
TRUNCATE u;
SELECT count(*) FROM abelian.slice WHERE relation = 'u'::regclass;
DELETE FROM t WHERE id <= 4;
SELECT count(*) FROM abelian.slice;
UPDATE t SET d = 0 WHERE id <= 7;
SELECT count(*) FROM abelian.slice;
CREATE SCHEMA s;
CREATE TABLE s.v (c abelian.counter);
INSERT INTO s.v VALUES (1);
UPDATE s.v SET c = c + 1;
UPDATE s.v SET c = c + 1;
DROP SCHEMA s CASCADE;
DROP TABLE t;
SELECT * FROM left_over;
-- The extension goes with everything.
INSERT INTO u VALUES (1, 1);
UPDATE u SET c = c + 1;
UPDATE u SET c = c + 1;
SELECT count(*) FROM abelian.slice;
SET client_min_messages = warning;
DROP EXTENSION abelian CASCADE;
SELECT * FROM u;
DELETE FROM u;
CREATE EXTENSION abelian;
INSERT INTO u SELECT generate_series(1, 3);
ALTER TABLE u ADD c abelian.counter DEFAULT 5;
UPDATE u SET c = c + 1;
SELECT c FROM u;
-- Of decimals, too, and whatever holds their old units.
CREATE TABLE w (id int PRIMARY KEY, v abelian.bounded_decimal(2) CHECK (v >= 0));
INSERT INTO w SELECT i, i FROM generate_series(1, 3) i;
UPDATE w SET v = v + 0.25;
UPDATE w SET v = v + 0.25;
ALTER TABLE w ALTER v TYPE abelian.bounded_decimal(4);
SELECT sum(v) FROM w;
UPDATE w SET v = v + 0.0001;
UPDATE w SET v = v + 0.0001;
SELECT sum(v) FROM w;
SELECT abelian.collect_orphans('w') IS NOT NULL;
SELECT sum(v) FROM w;
ALTER TABLE w ALTER v TYPE numeric(12, 2);
SELECT sum(v) FROM w;
SELECT count(*) FROM abelian.slice WHERE relation = 'w'::regclass;
