-- Operations on elements: add, put and remove give the same in the row, in slices, on the ordinary path and as functions of a value; locks on elements are as few as the lock
-- table needs.
\pset null NULL
SET client_min_messages = warning;
CREATE TABLE basket (id int PRIMARY KEY, way text, s abelian.set, m abelian.multiset, z abelian.scored_set, note text);
INSERT INTO basket SELECT id, way, s, m, z FROM unnest('{row,slices,ordinary,function}'::text[]) WITH ORDINALITY w(way, place),
  LATERAL (VALUES (place, '{a,b}'::text[], '{"a": 2, "b": 1}'::jsonb, '{"a": 1.5, "b": -2}'::jsonb), (place + 10, '{}', '{}', '{}'), (place + 20, NULL, NULL, NULL)) v(id, s, m, z);
-- Each operation in four ways.
CREATE PROCEDURE everywhere(operation text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE basket SET %s WHERE way = ''row''', operation);
  PERFORM set_config('abelian.split', 'always', true);
  EXECUTE format('UPDATE basket SET %s WHERE way = ''slices''', operation);
  PERFORM set_config('abelian.split', 'auto', true);
  EXECUTE format('UPDATE basket SET %s, note = ''o'' WHERE way = ''ordinary''', operation);
  -- What is in parentheses is seen as an expression, not as an operation.
  EXECUTE format('UPDATE basket SET %s WHERE way = ''function''', regexp_replace(operation, '(\w+) = (.*)', '\1 = CASE WHEN true THEN \2 END'));
END $$;
CREATE FUNCTION values_differ() RETURNS boolean LANGUAGE sql AS $$
  SELECT bool_or(values > 1) FROM (SELECT count(DISTINCT concat_ws('|', coalesce(s::text, 'N'), coalesce(m::text, 'N'), coalesce(z::text, 'N'))) AS values FROM basket GROUP BY id / 10) x $$;
DO $$
DECLARE
  operations text[] := ARRAY['s = abelian.add(s, $1)', 's = abelian.remove(s, $1)', 'm = abelian.add(m, $1, $2)', 'm = abelian.remove(m, $1, $2)', 'm = abelian.remove(m, $1)',
    'z = abelian.add(z, $1, $2)', 'z = abelian.put(z, $1, $2)', 'z = abelian.remove(z, $1)', 'z = abelian.put_greater(z, $1, $2)', 'z = abelian.put_less(z, $1, $2)',
    's = abelian.add_all(s, ARRAY[$1, $3])', 's = abelian.remove(abelian.add_all(s, ARRAY[$1, NULL, $3]), $1)', 'm = abelian.add_all(m, ARRAY[$1, $3, $1])', 'z = abelian.add_all(z, ARRAY[$1, $3], ARRAY[$2, 0.5])', 's = abelian.remove(abelian.add(s, $1), $3)', 's = abelian.add(abelian.remove(s, $1), $3)',
    'z = abelian.add(abelian.put(abelian.remove(z, $3), $1, $2), $1, $2)', 'm = abelian.add(abelian.remove(abelian.add(m, $1), $1, $2), $3, $2)'];
  operation text;
BEGIN
  PERFORM setseed(0.5);
  FOR step IN 1..300 LOOP
    operation := operations[1 + floor(random() * array_length(operations, 1))];
    operation := replace(replace(replace(operation, '$1', quote_literal(chr(97 + floor(random() * 3)::int))), '$2', (1 + floor(random() * 3))::text), '$3', quote_literal(chr(97 + floor(random() * 3)::int)));
    CALL everywhere(operation);
    IF values_differ() THEN RAISE EXCEPTION 'step %: % gives different values', step, operation; END IF;
  END LOOP;
END $$;
SELECT id, s, m, z FROM basket WHERE way = 'slices' ORDER BY id;
-- What is recognised.
EXPLAIN (COSTS off) UPDATE basket SET s = abelian.remove(abelian.add(s, 'x'), 'y'), z = abelian.put(z, note, id) WHERE id = 1;
EXPLAIN (COSTS off) UPDATE basket SET s = abelian.remove(s::text[]::abelian.set, 'y') WHERE id = 1;
EXPLAIN (VERBOSE, COSTS off) UPDATE basket SET s = abelian.remove(s, 'y') WHERE id = 1;
-- NULL for the column is empty, NULL for an operand changes nothing.
TRUNCATE basket;
INSERT INTO basket VALUES (1, 'row'), (2, 'slices'), (3, 'ordinary'), (4, 'function');
CALL everywhere($$s = abelian.remove(s, 'x')$$);
CALL everywhere($$z = abelian.remove(z, 'x')$$);
CALL everywhere($$m = abelian.remove(m, 'x')$$);
SELECT way, s, m, z FROM basket ORDER BY id;
CALL everywhere($$s = abelian.remove(abelian.add(s, 'x'), 'x')$$);
CALL everywhere($$z = abelian.put(z, 'x', 1)$$);
CALL everywhere($$m = abelian.add(m, 'x')$$);
CALL everywhere($$s = abelian.remove(s, NULL)$$);
CALL everywhere($$z = abelian.put(z, 'x', NULL)$$);
CALL everywhere($$z = abelian.remove(z, NULL)$$);
CALL everywhere($$m = abelian.remove(m, 'x', NULL)$$);
SELECT way, s, m, z FROM basket ORDER BY id;
-- Several elements at once; a score that is better than the one that is there.
CALL everywhere($$s = abelian.add_all(s, '{}')$$);
CALL everywhere($$s = abelian.add_all(s, NULL)$$);
CALL everywhere($$s = abelian.add_all(s, ARRAY['p', NULL, 'o'])$$);
CALL everywhere($$m = abelian.add_all(m, '{x,y,x}')$$);
CALL everywhere($$z = abelian.add_all(z, '{y,x,w,NULL}', ARRAY[2, 0.5, NULL, 1])$$);
CALL everywhere($$z = abelian.put_greater(abelian.put_less(z, 'y', 3), 'x', 1.5)$$);
CALL everywhere($$z = abelian.put_greater(abelian.put_less(z, 'least', 3), 'least', 2)$$);
CALL everywhere($$z = abelian.put_greater(z, 'x', 1.25)$$);
SELECT way, s, m, z FROM basket ORDER BY id;
CALL everywhere($$z = abelian.remove(abelian.remove(z, 'least'), 'y')$$);
CALL everywhere($$s = abelian.remove(abelian.remove(s, 'p'), 'o')$$);
EXPLAIN (COSTS off) UPDATE basket SET s = abelian.add_all(s, string_to_array(note, ',')), z = abelian.put_greater(z, note, id) WHERE id = 1;
UPDATE basket SET z = abelian.add_all(z, '{a,b}', '{1}') WHERE id = 1;
UPDATE basket SET z = abelian.put_greater(z, 'a', 'NaN') WHERE id = 1;
-- Functions of one's own, made of these: blind ones, and others.
CREATE FUNCTION add_both(abelian.set, text, text) RETURNS abelian.set LANGUAGE sql AS 'SELECT abelian.add(abelian.add($1, $2), $3)';
CREATE FUNCTION swap(abelian.set, text, text) RETURNS abelian.set LANGUAGE sql AS 'SELECT abelian.add(abelian.remove($1, $2), $3)';
\setenv PGPASSWORD abelian
\connect - abelian
SECURITY LABEL FOR abelian ON FUNCTION add_both(abelian.set, text, text) IS 'operation';
SECURITY LABEL FOR abelian ON FUNCTION swap(abelian.set, text, text) IS 'operation on elements';
\setenv PGPASSWORD app
\connect - app
EXPLAIN (COSTS off) UPDATE basket SET s = add_both(s, 'p', 'q') WHERE id = 1;
CALL everywhere($$s = add_both(s, 'p', 'q')$$);
CALL everywhere($$s = swap(abelian.add(s, 'r'), 'p', 'new')$$);
SELECT way, s FROM basket ORDER BY id;
-- Locks: one on each element that is removed, then one on the table; additions in the row keep none.
CREATE TABLE many (id int PRIMARY KEY, s abelian.set DEFAULT '{a,b}', note text);
INSERT INTO many SELECT generate_series(1, 500);
SET abelian.lock_escalation = 100;
CREATE VIEW held AS SELECT count(*) FILTER (WHERE locktype = 'advisory') AS elements, bool_or(relation = 'many'::regclass AND mode = 'ShareRowExclusiveLock') AS table FROM pg_locks WHERE pid = pg_backend_pid();
BEGIN;
UPDATE many SET s = abelian.remove(s, 'a') WHERE id <= 50;
SELECT * FROM held;
UPDATE many SET s = abelian.remove(s, 'b');
SELECT * FROM held;
COMMIT;
BEGIN;
UPDATE many SET s = abelian.add(s, 'c');
SELECT * FROM held;
COMMIT;
BEGIN;
SET LOCAL abelian.split = always;
UPDATE many SET s = abelian.add(abelian.add(s, 'd'), 'e');
SELECT elements <= 200 AS few FROM held;
COMMIT;
BEGIN;
UPDATE many SET s = abelian.remove(s, 'd'), note = 'x';
SELECT elements <= 200 AS few, "table" FROM held;
COMMIT;
SELECT s, count(*) FROM many GROUP BY s ORDER BY s;
