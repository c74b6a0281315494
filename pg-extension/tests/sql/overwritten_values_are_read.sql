-- as: abelian
-- An expression that reads a value which the same statement overwrites gets all of it, in whatever order the columns come, and so do triggers.
\pset format unaligned
\pset tuples_only on
SET abelian.split = always;
CREATE TABLE t (id int PRIMARY KEY, n abelian.counter, m abelian.counter, s abelian.set, archived bigint, old text);
CREATE FUNCTION reset_t() RETURNS void LANGUAGE sql AS $$
  DELETE FROM t;
  INSERT INTO t VALUES (1, 10, 100, '{a}', 0, '');
  UPDATE t SET n = n + 5, m = m + 7, s = abelian.add(s, 'b');
$$;
SELECT reset_t();
UPDATE t SET n = 0, archived = n;
SELECT n, archived FROM t;
SELECT reset_t();
UPDATE t SET n = m, m = n;
SELECT n, m FROM t;
SELECT reset_t();
UPDATE t SET n = n * 2, archived = n, s = '{}', old = s::text RETURNING n, archived, s, old;
SELECT n, archived, s, old FROM t;
-- in what a function does meanwhile
SELECT reset_t();
CREATE FUNCTION asked(v bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM t; RETURN v; END $$;
UPDATE t SET n = 0, archived = asked(n);
SELECT n, archived FROM t;
-- in MERGE and DO UPDATE
SELECT reset_t();
MERGE INTO t USING (VALUES (1)) v(id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET n = 0, archived = n;
SELECT n, archived FROM t;
SELECT reset_t();
INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET n = 0, archived = t.n;
SELECT n, archived FROM t;
-- undone
SELECT reset_t();
BEGIN;
SAVEPOINT here;
UPDATE t SET n = 0, archived = n;
ROLLBACK TO here;
SELECT n, archived FROM t;
UPDATE t SET n = 1, archived = n;
COMMIT;
SELECT n, archived FROM t;
-- The transition table of a parent shows the whole value of a child's row.
CREATE TABLE mother (id int, n abelian.counter);
CREATE TABLE daughter () INHERITS (mother);
CREATE TABLE log (o bigint, w bigint);
INSERT INTO daughter VALUES (1, 10);
UPDATE daughter SET n = n + 5;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO log SELECT o.n, w.n FROM o JOIN w USING (id);
  RETURN NULL;
END $$;
CREATE TRIGGER note AFTER UPDATE ON mother REFERENCING OLD TABLE AS o NEW TABLE AS w FOR EACH STATEMENT EXECUTE FUNCTION note();
UPDATE mother SET n = 0;
TABLE log;
-- Nothing stays that nobody needs.
DELETE FROM mother;
DELETE FROM t;
SELECT "table", "column" FROM abelian.split_objects;
