-- set, multiset, scored_set, top_k, ordered_put, summary_bag: operations, accessors, casts, bad input; the same in the row, in slices, and on the ordinary path.
\pset null NULL
SET client_min_messages = warning;
CREATE FUNCTION make(relation text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, s abelian.set, m abelian.multiset, z abelian.scored_set, k abelian.top_k DEFAULT abelian.top_k(3), o abelian.ordered_put,
    b abelian.summary_bag, note text DEFAULT ''n'')', relation);
  EXECUTE format('INSERT INTO %I (id, s, m, z) VALUES (1, ''{b,a,b,NULL}'', ''{"x": 2}'', ''{"ann": 1.5}''), (2, NULL, NULL, NULL), (3, ''{}'', ''{}'', ''{}'')', relation);
END $$;
SELECT make('in_place'), make('in_slices'), make('ordinary');
CREATE PROCEDURE everywhere(statement text) LANGUAGE plpgsql AS $$ DECLARE
  row_count bigint; first bigint;
BEGIN
  EXECUTE replace(statement, 'TABLE', 'in_place'); GET DIAGNOSTICS first = ROW_COUNT;
  PERFORM set_config('abelian.split', 'always', true);
  EXECUTE replace(statement, 'TABLE', 'in_slices'); GET DIAGNOSTICS row_count = ROW_COUNT;
  IF row_count <> first THEN RAISE 'in slices % rows, in place %', row_count, first; END IF;
  PERFORM set_config('abelian.split', 'auto', true);
  PERFORM set_config('abelian.concurrent_operations', 'off', true);
  EXECUTE replace(statement, 'TABLE', 'ordinary'); GET DIAGNOSTICS row_count = ROW_COUNT;
  IF row_count <> first THEN RAISE 'ordinarily % rows, in place %', row_count, first; END IF;
  PERFORM set_config('abelian.concurrent_operations', 'on', true);
END $$;
CREATE FUNCTION differences() RETURNS bigint LANGUAGE sql AS $$
  SELECT (SELECT count(*) FROM in_place a FULL JOIN in_slices b USING (id)
           WHERE (a.s::text[], a.m, a.z, a.k, a.o) IS DISTINCT FROM (b.s::text[], b.m, b.z, b.k, b.o) OR a.b::jsonb IS DISTINCT FROM b.b::jsonb)
       + (SELECT count(*) FROM in_place a FULL JOIN ordinary b USING (id)
           WHERE (a.s::text[], a.m, a.z, a.k, a.o) IS DISTINCT FROM (b.s::text[], b.m, b.z, b.k, b.o) OR a.b::jsonb IS DISTINCT FROM b.b::jsonb)
$$;
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, 'c'), m = abelian.add(m, 'y', 3), z = abelian.add(z, 'bob', 2), k = abelian.add(k, 5, 'five'), o = abelian.put(o, 3, 'three'), b = abelian.add(b, 1.5)$$);
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, 'ä "\,{}'), m = abelian.add(m, 'x'), z = abelian.add(z, 'ann', -2), k = abelian.add(k, 4, 'four'), o = abelian.put(o, 2, 'two'), b = abelian.add(b, 2.5)$$);
CALL everywhere($$UPDATE TABLE SET k = abelian.add(abelian.add(k, 6, 'six'), 5, 'five'), m = abelian.add(m, E'tab\t"quote"\\'), z = abelian.add(z, '', 0)$$);
CALL everywhere($$UPDATE TABLE SET k = abelian.add(k, id, note), s = abelian.add(s, note), b = abelian.add(b, id) WHERE id < 3$$);
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, NULL), m = abelian.add(m, NULL), z = abelian.add(z, 'x', NULL), k = abelian.add(k, NULL, 'x'), o = abelian.put(o, 9, NULL), b = abelian.add(b, NULL) WHERE id = 1$$);
SELECT differences();
SELECT id, s, m, z FROM in_slices ORDER BY id;
SELECT id, k, o, abelian.order_of(o), b FROM in_slices ORDER BY id;
-- accessors
SELECT id, abelian.size(s), abelian.contains(s, 'c') AS c, abelian.contains(s, 'z') AS z, 'c' = ANY (s::text[]) AS any, cardinality(s::text[]) FROM in_slices ORDER BY id;
SELECT id, abelian.size(m), abelian.distinct_size(m), abelian.count(m, 'x') AS x, abelian.count(m, 'none') AS none, abelian.contains(m, 'y') AS y, m -> 'y' AS json FROM in_slices ORDER BY id;
SELECT id, abelian.size(z), abelian.score(z, 'ann'), abelian.score(z, 'none') AS none, abelian.contains(z, 'bob') AS bob FROM in_slices ORDER BY id;
SELECT id, x.* FROM in_slices, abelian.top(z, 2) x ORDER BY id, x.score DESC;
SELECT id, x.*, abelian.rank(z, x.item), abelian.rank(z, 'none') AS none FROM in_slices, abelian.range_by_rank(z, 1, 2) x ORDER BY id, rank;
SELECT x.*, abelian.rank(z, x.item) FROM (VALUES ('{"b": 2, "B": 2.0, "a": 1, "c": 10, "d": -1}'::jsonb::abelian.scored_set)) v(z), abelian.range_by_rank(z, 2, 4) x;
SELECT id, x.* FROM in_slices, abelian.range(z, -2, 0) x ORDER BY id, x.score;
SELECT id, x.* FROM in_slices, abelian.top(k, 2) x ORDER BY id, x.score DESC;
SELECT id, abelian.count(b), abelian.sum(b), round(abelian.mean(b), 4) AS mean, round(abelian.var_pop(b), 4) AS var_pop, round(abelian.var_samp(b), 4) AS var_samp, abelian.min(b), abelian.max(b) FROM in_slices ORDER BY id;
-- changes that must know the value
CALL everywhere($$UPDATE TABLE SET s = abelian.remove(s, 'c'), m = abelian.remove(m, 'y', 2), z = abelian.put(z, 'bob', 7.25)$$);
CALL everywhere($$UPDATE TABLE SET s = abelian.remove(abelian.add(s, 'again'), 'a'), m = abelian.remove(m, 'x', 100), z = abelian.remove(z, 'ann')$$);
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, 'c'), m = abelian.add(m, 'y'), z = abelian.add(z, 'bob', 0.75), o = abelian.put(o, timestamptz '2024-05-05 12:00Z', 'noon')$$);
SELECT differences();
SELECT id, s, m, z, o FROM in_slices ORDER BY id;
-- RETURNING, conditions, copies, overwriting, upsert
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, 'conditional') WHERE abelian.contains(s, 'again') AND abelian.size(m) > 1$$);
CALL everywhere($$INSERT INTO TABLE (id, s, m, z, k, o, b) SELECT id + 10, s, m, z, k, o, b FROM TABLE WHERE id = 1$$);
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, 'mine'), k = abelian.add(k, 100, 'mine'), b = abelian.add(b, 100) WHERE id = 11$$);
CALL everywhere($$INSERT INTO TABLE (id, s) VALUES (1, '{q}') ON CONFLICT (id) DO UPDATE SET s = abelian.add(TABLE.s, 'up')$$);
CALL everywhere($$UPDATE TABLE SET s = '{new}', m = '{"new": 1}', k = abelian.top_k(2) WHERE id = 2$$);
CALL everywhere($$UPDATE TABLE SET s = abelian.add(s, 'er'), k = abelian.add(k, 1, 'er') WHERE id = 2$$);
SELECT id, s, m, k FROM in_slices ORDER BY id;
UPDATE in_slices SET s = abelian.add(s, 'r'), b = abelian.add(b, 0) WHERE id = 3 RETURNING s, abelian.count(b);
BEGIN;
SET LOCAL abelian.split = always;
UPDATE in_slices SET s = abelian.add(s, 'undone');
SAVEPOINT here;
UPDATE in_slices SET s = abelian.add(s, 'undone too');
ROLLBACK TO here;
SELECT id, abelian.contains(s, 'undone'), abelian.contains(s, 'undone too') FROM in_slices ORDER BY id;
ROLLBACK;
-- Slices of a top_k keep no more than the object.
BEGIN;
SET LOCAL abelian.split = always;
DO $$ BEGIN FOR i IN 1..200 LOOP UPDATE in_slices SET k = abelian.add(k, i, 'item ' || i) WHERE id = 1; END LOOP; END $$;
SELECT k FROM in_slices WHERE id = 1;
COMMIT;
-- order, equality
SELECT s, count(*) FROM in_place WHERE id < 4 GROUP BY s ORDER BY s;
SELECT DISTINCT m FROM in_place WHERE id < 4 ORDER BY m;
SELECT id FROM in_place WHERE s::text[] = '{er,new}' OR s::text[] @> '{up}' ORDER BY id;
-- as aggregates
SELECT abelian.set_of(x::text), abelian.multiset_of((x % 2)::text, 1), abelian.scored_set_of((x % 2)::text, x), abelian.ordered_put_of(x, 'last'), abelian.summary_bag_of(x) -> 'mean' AS mean FROM generate_series(1, 4) x;
-- COPY
CREATE TABLE copied (LIKE in_slices INCLUDING DEFAULTS);
\copy in_slices to program 'cat > /tmp/abelian_collections.copy'
\copy copied from program 'cat /tmp/abelian_collections.copy; rm /tmp/abelian_collections.copy'
SELECT count(*) FROM in_slices a JOIN copied b USING (id) WHERE (a.s::text[], a.m, a.z, a.k, a.o) IS NOT DISTINCT FROM (b.s::text[], b.m, b.z, b.k, b.o) AND a.b::jsonb IS NOT DISTINCT FROM b.b::jsonb;
\copy in_slices to program 'cat > /tmp/abelian_collections.copy' (format binary)
TRUNCATE copied;
\copy copied from program 'cat /tmp/abelian_collections.copy; rm /tmp/abelian_collections.copy' (format binary)
SELECT count(*) FROM in_slices a JOIN copied b USING (id) WHERE (a.s::text[], a.m, a.z, a.k, a.o) IS NOT DISTINCT FROM (b.s::text[], b.m, b.z, b.k, b.o) AND a.b::jsonb IS NOT DISTINCT FROM b.b::jsonb;
-- large ones
UPDATE in_place SET s = (SELECT array_agg('element ' || i) FROM generate_series(1, 5000) i) WHERE id = 1;
SET abelian.split = always;
UPDATE in_place SET s = abelian.add(s, repeat('long ', 10000)) WHERE id = 1;
SELECT abelian.size(s), abelian.contains(s, repeat('long ', 10000)), abelian.contains(s, 'element 4711') FROM in_place WHERE id = 1;
-- bad input
\set VERBOSITY terse
UPDATE in_place SET m = abelian.add(m, 'x', 0);
UPDATE in_place SET m = abelian.remove(m, 'x', 0);
UPDATE in_place SET z = abelian.add(z, 'x', 'NaN');
INSERT INTO in_place (id, s) VALUES (20, 'x');
INSERT INTO in_place (id, m) VALUES (20, '{"x": -1}');
INSERT INTO in_place (id, m) VALUES (20, '{"x": "y"}');
INSERT INTO in_place (id, m) VALUES (20, '{x}');
INSERT INTO in_place (id, z) VALUES (20, '[1]');
INSERT INTO in_place (id, k) VALUES (20, '{"k": 0, "top": []}');
INSERT INTO in_place (id, k) VALUES (20, '5');
INSERT INTO in_place (id, o) VALUES (20, 'x');
INSERT INTO in_place (id, b) VALUES (20, '\x00');
INSERT INTO in_place (id, b) SELECT 20, o::text FROM in_place WHERE id = 1;
INSERT INTO in_place (id, s) VALUES (20, 5);
SELECT abelian.top_k(0);
