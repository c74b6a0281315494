-- as: abelian
-- Savepoints, aborts and prepared transactions apply to slices as to rows.
\pset format unaligned
\pset tuples_only on
SET abelian.split = always;
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);
BEGIN;
UPDATE t SET c = c + 1, d = d + 0.1;
SAVEPOINT a;
UPDATE t SET c = c + 10, d = d + 1.01;
UPDATE t SET c = c + 100;
SELECT c, d FROM t WHERE id = 1;
ROLLBACK TO a;
SELECT c, d FROM t WHERE id = 1;
UPDATE t SET c = c + 1000 WHERE id = 1;
SAVEPOINT b;
UPDATE t SET c = c + 10000 WHERE id = 1;
RELEASE b;
COMMIT;
SELECT * FROM t ORDER BY id;
BEGIN;
UPDATE t SET c = c + 5;
ROLLBACK;
SELECT * FROM t ORDER BY id;
-- An exception block is a savepoint.
DO $$ BEGIN
  UPDATE t SET c = c + 7 WHERE id = 2;
  BEGIN
    UPDATE t SET c = c + 70 WHERE id = 2;
    RAISE EXCEPTION 'undone';
  EXCEPTION WHEN raise_exception THEN
    UPDATE t SET c = c + 700 WHERE id = 2;
  END;
END $$;
SELECT c FROM t WHERE id = 2;
-- A prepared transaction keeps its slice; its session goes on beside it, in all isolation levels. (A row of its own: one whose
-- value a transaction has just read after operating on it makes writers queue for a second.)
INSERT INTO t VALUES (3, 0, 0);
BEGIN;
UPDATE t SET c = c + 1 WHERE id = 3;
PREPARE TRANSACTION 'one';
UPDATE t SET c = c + 2 WHERE id = 3;
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE t SET c = c + 4 WHERE id = 3;
PREPARE TRANSACTION 'two';
BEGIN ISOLATION LEVEL SERIALIZABLE;
UPDATE t SET c = c + 8 WHERE id = 3;
COMMIT;
SELECT c FROM t WHERE id = 3;
SELECT count(DISTINCT slot) FROM abelian.slice s WHERE s.attribute = 2 AND object = (SELECT abelian.counter_object(c) FROM t WHERE id = 3);
COMMIT PREPARED 'one';
SELECT c FROM t WHERE id = 3;
ROLLBACK PREPARED 'two';
SELECT c FROM t WHERE id = 3;
-- One command that operates on the same object more than once.
CREATE FUNCTION twice() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  UPDATE t SET c = c + 1 WHERE id = 2;
  UPDATE t SET c = c + 1 WHERE id = 2;
END $$;
SELECT twice(), twice() FROM generate_series(1, 3);
SELECT c FROM t WHERE id = 2;
