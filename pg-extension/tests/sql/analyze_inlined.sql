-- as: abelian
-- Statements that call functions which read tables: the text with their bodies in the places of the calls, and which stay calls.
SET client_min_messages = warning;
\set VERBOSITY default
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE d (key int PRIMARY KEY, n int, t text COLLATE "C");
CREATE TABLE e (key int, seq int, v numeric, PRIMARY KEY (key, seq));
SELECT create_distributed_table(t, 'key') FROM unnest('{d,e}'::regclass[]) t;
CREATE FUNCTION total(x int) RETURNS numeric STABLE LANGUAGE sql AS 'SELECT sum(v) FROM e WHERE e.key = x';
CREATE FUNCTION some_n(x int) RETURNS bigint LANGUAGE sql AS 'SELECT n FROM d WHERE d.key >= $1 ORDER BY d.key';
CREATE FUNCTION strictly(x int, y int DEFAULT 7) RETURNS bigint STRICT STABLE LANGUAGE sql AS 'SELECT count(*) FROM d WHERE n > x + y';
CREATE FUNCTION atomic(x int) RETURNS bigint STABLE LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM d WHERE n < x; END;
CREATE FUNCTION nested(x int) RETURNS numeric LANGUAGE sql AS 'SELECT total(x) + atomic(x)';
CREATE FUNCTION in_plpgsql(x int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM e WHERE e.key < x); END';
CREATE FUNCTION into_variable(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE y int; BEGIN SELECT n INTO y FROM d WHERE key = x; RETURN y; END';
CREATE FUNCTION rows_of(x int) RETURNS SETOF e STABLE LANGUAGE sql AS 'SELECT * FROM e WHERE e.seq = x';
CREATE FUNCTION tabled(x int) RETURNS TABLE (a int, b numeric) STABLE LANGUAGE sql AS 'SELECT seq, v FROM e WHERE e.key = x';
CREATE VIEW totals AS SELECT key, total(key) FROM d;

CREATE FUNCTION inlined(query text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(s->'inlined'->>'text' || E'\nmerge ' || coalesce(s->'inlined'->'facts'->'merge'->>'mode', '-'), 'stays: ' || (s->>'functions'))
  FROM (SELECT abelian.analyze(query)::jsonb->0) q(s)
$$;
SELECT inlined('SELECT key, total(key) FROM d WHERE total(key) > $1');
SELECT inlined('SELECT some_n(key + 1), strictly(n), atomic(3) FROM d');
SELECT inlined('SELECT nested(key) FROM d');
SELECT inlined('SELECT in_plpgsql(key), into_variable(total(key)::int) FROM d');
SELECT inlined('SELECT d.key, x.v, y.* FROM d, rows_of(d.key) x LEFT JOIN tabled(3) y(q) ON q = x.seq');
SELECT inlined('SELECT * FROM atomic(3)');
SELECT inlined('SELECT * FROM totals');
SELECT inlined('SELECT total(key / 3), count(*) FROM d GROUP BY total(key / 3) HAVING total(key / 3) > 5');
SELECT inlined('UPDATE d SET n = atomic(n)');
-- what a body does beside reading, or that hangs on being a function
CREATE FUNCTION drawn(x int) RETURNS float8 LANGUAGE sql AS 'SELECT random() + count(*) FROM d';
CREATE FUNCTION locking(x int) RETURNS int LANGUAGE sql AS 'SELECT n FROM d WHERE key = x FOR UPDATE';
CREATE FUNCTION owners(x int) RETURNS bigint STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT count(*) FROM d';
CREATE FUNCTION settings(x int) RETURNS bigint STABLE SET work_mem = '1MB' LANGUAGE sql AS 'SELECT count(*) FROM d';
CREATE FUNCTION two(x int) RETURNS bigint LANGUAGE sql AS 'SELECT 1; SELECT count(*) FROM d';
CREATE FUNCTION writes(x int) RETURNS int LANGUAGE sql AS 'INSERT INTO d VALUES (x) RETURNING key';
CREATE FUNCTION itself(x int) RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM d';
CREATE OR REPLACE FUNCTION itself(x int) RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) + itself(x - 1) FROM d';
CREATE FUNCTION greatest_of(x int) RETURNS int STABLE LANGUAGE sql AS 'SELECT max(x) FROM d';
CREATE FUNCTION named(x text) RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM d WHERE t < x';
CREATE FUNCTION strict_rows(x int) RETURNS SETOF e STABLE STRICT LANGUAGE sql AS 'SELECT * FROM e';
CREATE FUNCTION with_default(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE y int := 5; BEGIN SELECT n INTO y FROM d WHERE key = x; RETURN y; END';
CREATE FUNCTION ambiguous(key int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM d WHERE d.key = key); END';
SELECT inlined(format('SELECT %s(key) FROM d', f)) FROM unnest('{drawn,locking,owners,settings,two,writes,itself,greatest_of,with_default,ambiguous}'::text[]) f;
SELECT inlined(q) FROM unnest(ARRAY['SELECT named(t) FROM d', 'SELECT * FROM strict_rows(2)', 'SELECT rows_of(2)', 'SELECT total(count(*)::int) FROM d',
  'SELECT total(random()::int) FROM d', 'UPDATE d SET n = some_n(key)', 'SELECT total(1), drawn(2)']) q;
-- PL/pgSQL as a query, and what has no such form
CREATE FUNCTION given(x int) RETURNS TABLE (a int, b numeric) LANGUAGE plpgsql AS $$DECLARE low int := x / 2; most int; BEGIN
  SELECT max(d.n) INTO most FROM d WHERE d.key <= x; RETURN QUERY SELECT seq, v FROM e WHERE e.key >= low AND v < most; END$$;
CREATE FUNCTION either(x int) RETURNS SETOF bigint LANGUAGE plpgsql AS $$BEGIN
  IF x > 3 THEN RETURN QUERY SELECT count(*) FROM e; RETURN; END IF; RETURN QUERY SELECT count(*) FROM d; RETURN QUERY SELECT 1::bigint; END$$;
CREATE FUNCTION in_steps(x int) RETURNS numeric LANGUAGE plpgsql AS $$DECLARE few int; total numeric(9,2); most numeric; BEGIN
  SELECT count(*), max(v) INTO few, most FROM e WHERE seq = x; total := few; IF total > 3 THEN total := total / 2; ELSIF x IS NULL THEN RETURN NULL; END IF; RETURN total + most; END$$;
SELECT inlined(q) FROM unnest(ARRAY['SELECT * FROM given(4)', 'SELECT d.key, x FROM d, either(d.key) x', 'SELECT in_steps(key) FROM d', 'SELECT * FROM d, in_steps(key)']) q;
CREATE FUNCTION looping(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE s int; BEGIN FOR i IN 1..x LOOP s := (SELECT count(*) FROM d); END LOOP; RETURN s; END';
CREATE FUNCTION found_some(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE s int; BEGIN SELECT n INTO s FROM d WHERE key = x; IF FOUND THEN RETURN s; END IF; RETURN 0; END';
CREATE FUNCTION strictly_one(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE s int; BEGIN SELECT n INTO STRICT s FROM d WHERE key = x; RETURN s; END';
CREATE FUNCTION caught(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT n FROM d WHERE key = x); EXCEPTION WHEN others THEN RETURN 0; END';
CREATE FUNCTION raises(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''x''; RETURN (SELECT n FROM d WHERE key = x); END';
CREATE FUNCTION of_a_row(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE a int; b int; BEGIN SELECT key, n INTO a, b FROM d WHERE n > x; RETURN a + b; END';
CREATE FUNCTION element(x int) RETURNS int[] LANGUAGE plpgsql AS 'DECLARE a int[]; BEGIN a[2] := (SELECT count(*) FROM d); RETURN a; END';
CREATE FUNCTION short(x int) RETURNS text LANGUAGE plpgsql AS 'DECLARE a varchar(1); BEGIN a := (SELECT max(n)::text FROM d); RETURN a; END';
CREATE FUNCTION record_of(x int) RETURNS int LANGUAGE plpgsql AS 'DECLARE r record; BEGIN SELECT * INTO r FROM d WHERE key = x; RETURN r.n; END';
CREATE FUNCTION doubling(x int) RETURNS int LANGUAGE plpgsql AS $$DECLARE a int := (SELECT count(*) FROM d);
  BEGIN a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; a := a + a; RETURN a; END$$;
CREATE FUNCTION endless(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN IF x > (SELECT count(*) FROM d) THEN RETURN 1; END IF; END';
SELECT inlined(format('SELECT %s(key) FROM d', f)) FROM unnest('{looping,found_some,strictly_one,caught,raises,of_a_row,element,short,record_of,doubling,endless}'::text[]) f;
CREATE FUNCTION mistyped(x int) RETURNS SETOF bigint LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT n FROM d; END';
SELECT inlined('SELECT * FROM mistyped(3)');
-- who may not call a function may not have it in other words
CREATE ROLE inlined_clerk;
GRANT SELECT ON d, e TO inlined_clerk;
REVOKE EXECUTE ON FUNCTION total(int) FROM public;
SET ROLE inlined_clerk;
SELECT inlined('SELECT atomic(key) FROM d');
SELECT inlined('SELECT total(key) FROM d');
RESET ROLE;
-- a view whose owner may see other rows than who asks stays
ALTER TABLE e ENABLE ROW LEVEL SECURITY;
CREATE VIEW rows_and_totals AS SELECT e.key, total(e.key) FROM e;
SELECT inlined('SELECT * FROM rows_and_totals');
DROP OWNED BY inlined_clerk;
DROP ROLE inlined_clerk;
