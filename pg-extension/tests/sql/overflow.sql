-- An operation fails with PostgreSQL's own 22003 exactly where it would leave bigint, in the row and in slices.
\set VERBOSITY terse
\pset format unaligned
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter);
INSERT INTO t VALUES (1, 9223372036854775800), (2, -9223372036854775800), (3, 0);
SET abelian.split = always;
UPDATE t SET c = c + 7 WHERE id = 1;
UPDATE t SET c = c + 1 WHERE id = 1;
UPDATE t SET c = c - 8 WHERE id = 2;
UPDATE t SET c = c - 1 WHERE id = 2;
SELECT * FROM t ORDER BY id;
-- One operation of any size.
UPDATE t SET c = c + 9223372036854775807 WHERE id = 3;
UPDATE t SET c = c + 1 WHERE id = 3;
UPDATE t SET c = c - 9223372036854775807 WHERE id = 3;
UPDATE t SET c = c - 9223372036854775807 WHERE id = 3;
UPDATE t SET c = c - 2 WHERE id = 3;
UPDATE t SET c = c - (-9223372036854775808) WHERE id = 3;
SELECT c FROM t WHERE id = 3;
-- Slices of one sign and a base of the other: the value counts, not its parts.
INSERT INTO t VALUES (4, 0);
UPDATE t SET c = c - 1000000 WHERE id = 4;
UPDATE t SET c = c + 9223372036854775807 WHERE id = 4;
UPDATE t SET c = c + 1000000 WHERE id = 4;
SELECT c FROM t WHERE id = 4;
UPDATE t SET c = c + 1 WHERE id = 4;
UPDATE t SET c = c - 1 WHERE id = 4;
SELECT c FROM t WHERE id = 4;
-- Many large additions to slices.
INSERT INTO t VALUES (5, 0);
DO $$ BEGIN
  FOR i IN 1..20 LOOP UPDATE t SET c = c + 70368744177663 WHERE id = 5; END LOOP;
END $$;
SELECT c, c = 20 * 70368744177663 AS right FROM t WHERE id = 5;
-- numeric has no such end.
CREATE TABLE d (id int PRIMARY KEY, c abelian.decimal_counter);
INSERT INTO d VALUES (1, 9223372036854775807), (2, 'Infinity'), (3, 0);
UPDATE d SET c = c + 9223372036854775807.5 WHERE id = 1;
UPDATE d SET c = c - 'Infinity'::numeric WHERE id = 2;
UPDATE d SET c = c + 'NaN'::numeric WHERE id = 3;
SELECT * FROM d ORDER BY id;
