-- as: abelian
-- UPDATE of distribution columns: the DELETE that gives the new rows, the INSERT that takes them, and what cannot be divided so.
SET client_min_messages = warning;
\set VERBOSITY default
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE r (id int PRIMARY KEY, t text);
CREATE TABLE a (k int PRIMARY KEY, gone int, x numeric(5,1) DEFAULT 2 * 3, t varchar(3), likes abelian.counter, tags text[], twice numeric GENERATED ALWAYS AS (x * 2) STORED);
ALTER TABLE a DROP COLUMN gone;
CREATE TABLE b ("Odd" text, id int GENERATED ALWAYS AS IDENTITY, part int, PRIMARY KEY ("Odd", part));
CREATE TABLE c (k char(4), day int, PRIMARY KEY (k, day)) PARTITION BY LIST (day);
CREATE TABLE c1 PARTITION OF c FOR VALUES IN (1);
CREATE TABLE c2 PARTITION OF c FOR VALUES IN (2);
CREATE TABLE parent (k int PRIMARY KEY);
CREATE TABLE child (k int REFERENCES parent);
SELECT create_distributed_table(t, 'k') FROM unnest('{a,c,parent,child}'::regclass[]) t;
SELECT create_distributed_table('b', '"Odd", part');
SELECT create_reference_table('r');
CREATE TABLE d (k int, b abelian.summary_bag, m abelian.max, n abelian.dict);
SELECT create_distributed_table('d', 'k');
CREATE VIEW seen AS SELECT * FROM a;

-- From its minor versions of November 2026 on PostgreSQL writes AS before the other name of a table that is changed.
CREATE FUNCTION moved(query text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT line FROM abelian.analyze(query) f(told), LATERAL (SELECT told::jsonb->0) q(s), LATERAL (VALUES
    (regexp_replace(s->'gathered'->>'source', ' AS (y|seen)\M', ' \1')), (s->'gathered'->>'insert'), ('keys ' || (s->'gathered'->>'keys')), ('types ' || (s->'gathered'->'insert_facts'->>'parameters')),
    ('source is ' || (s->'gathered'->'source_facts'->>'kind') || ', merge ' || coalesce(s->'gathered'->'source_facts'->'merge'->>'mode', '-')),
    ('not moved: ' || (s->>'unmoved'))) l(line) WHERE line IS NOT NULL
$$;
SELECT moved('UPDATE a SET k = k + 1');
SELECT moved('UPDATE a SET k = $1, x = DEFAULT, t = ''long'', likes = likes + 1 WHERE k = 5 RETURNING a.k + 0 AS n, twice, a');
SELECT moved('UPDATE a AS y SET k = r.id FROM r WHERE r.t = y.t RETURNING y.*');
SELECT moved('UPDATE a SET (k, x) = (x, k) WHERE x IN (SELECT part FROM b)');
SELECT moved('UPDATE b SET "Odd" = lower("Odd")');
SELECT moved('UPDATE c SET k = k || day');
SELECT moved('UPDATE c1 SET k = k || day');
SELECT moved('UPDATE child SET k = 7');
-- what clients see of a state is not all of it
SELECT moved('UPDATE d SET k = 7, b = abelian.add(b, 2)');
-- nothing moves
SELECT moved('UPDATE a SET x = 1') UNION ALL SELECT moved('UPDATE r SET id = 1');
-- nothing can
SELECT moved(q) FROM unnest(ARRAY['UPDATE parent SET k = 7', 'UPDATE seen SET k = 7', 'UPDATE a SET k = 7, tags[1] = ''x''', 'UPDATE a SET (k, x) = (SELECT 1, 2)',
  'UPDATE a SET k = r.id FROM r RETURNING r.t', 'UPDATE a SET k = 7 RETURNING (SELECT 1)', 'UPDATE a SET k = 7 RETURNING tableoid', 'WITH w AS (DELETE FROM b RETURNING part) UPDATE a SET k = part FROM w',
  'UPDATE a SET k = 7 WHERE CURRENT OF nowhere', 'INSERT INTO a (k) VALUES (1) ON CONFLICT (k) DO UPDATE SET k = 2', 'MERGE INTO a USING r ON a.k = r.id WHEN MATCHED THEN UPDATE SET k = 2']) q;
SET extra_float_digits = 0;
SELECT moved('UPDATE a SET k = 7');
RESET extra_float_digits;
-- who may not UPDATE may not do it by the parts
CREATE ROLE moved_rows_clerk;
GRANT SELECT, INSERT, DELETE, UPDATE (x) ON a TO moved_rows_clerk;
SET ROLE moved_rows_clerk;
SELECT moved('UPDATE a SET k = 7') LIMIT 1;
RESET ROLE;
GRANT UPDATE (k) ON a TO moved_rows_clerk;
SET ROLE moved_rows_clerk;
SELECT moved('UPDATE a SET k = 7') LIMIT 1;
SELECT moved('UPDATE a SET k = 7, likes = 0');
-- policies for UPDATE are not those for DELETE and INSERT
RESET ROLE;
ALTER TABLE a ENABLE ROW LEVEL SECURITY;
SELECT moved('UPDATE a SET k = 7') LIMIT 1;
SET ROLE moved_rows_clerk;
SELECT moved('UPDATE a SET k = 7');
RESET ROLE;
DROP OWNED BY moved_rows_clerk;
DROP ROLE moved_rows_clerk;
