-- as: abelian
-- Statements over more objects than the lock table has places for.
\pset format unaligned
\pset tuples_only on
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter);
INSERT INTO t SELECT i, i FROM generate_series(1, 60000) i;
UPDATE t SET c = c + 1;
SELECT sum(c) FROM t;
UPDATE t SET c = 5 WHERE id <= 50000;
SELECT sum(c) FROM t;
DELETE FROM t WHERE id > 5;
SELECT sum(c), count(*) FROM t;
SELECT count(*) FROM abelian.slice;
CREATE TABLE u (id int PRIMARY KEY, note text, c abelian.counter);
INSERT INTO u SELECT i, 'x', i FROM generate_series(1, 60000) i;
UPDATE u SET note = 'y';
UPDATE u SET note = 'z', c = c + 1;
SET abelian.split = always;
UPDATE u SET c = c + 1;
UPDATE u SET c = c * 2 WHERE id <= 50000;
SELECT sum(c) FROM u;
