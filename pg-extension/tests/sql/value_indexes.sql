-- Indexes over counters: which queries use them, and that all give what they give without.
SET client_min_messages = warning;
\set QUIET on
CREATE TABLE page (id int PRIMARY KEY, kind int, filler text, likes abelian.counter DEFAULT 0, money abelian.decimal_counter, stock abelian.bounded_counter(0));
INSERT INTO page SELECT i, i % 3, repeat('x', 400), i * 7919 % 10007, CASE WHEN i % 5 > 0 THEN i * 0.01 END, i FROM generate_series(1, 3000) i;
CREATE INDEX page_likes ON page (abelian.base(likes));
CREATE INDEX page_likes_object ON page (abelian.counter_object(likes));
CREATE INDEX ON page (abelian.base(money));
CREATE INDEX ON page (abelian.decimal_counter_object(money));
CREATE INDEX ON page (abelian.base(stock));
CREATE INDEX ON page (abelian.bounded_counter_object(stock));
ANALYZE page;
\set QUIET off

-- The rows of a query with the indexes and without, in order; and whether its plan uses an index over what is stored.
CREATE FUNCTION compare(query text, OUT by_index boolean, OUT same boolean, OUT rows text[]) LANGUAGE plpgsql AS $$
DECLARE
  line text;
  whole text[];
  collect text := format('SELECT coalesce(array_agg(r::text), ''{}'') FROM (%s) r', query);
BEGIN
  by_index := false;
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || collect LOOP
    by_index := by_index OR line ~ 'Index Cond: .*(base|counter_object)\(|Index Scan.* using page_(base|likes)';
  END LOOP;
  EXECUTE collect INTO rows;
  SET LOCAL abelian.value_indexes = off;
  EXECUTE collect INTO whole;
  SET LOCAL abelian.value_indexes = on;
  same := rows = whole;
END $$;

CREATE FUNCTION explained(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP plan := concat_ws(E'\n', plan, line); END LOOP;
  RETURN plan;
END $$;

CREATE TEMP TABLE query (id int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO query (query) VALUES
  ('SELECT id, likes FROM page ORDER BY likes DESC LIMIT 3'),
  ('SELECT id, likes FROM page ORDER BY likes, id LIMIT 2 OFFSET 2'),
  ('SELECT id, likes::bigint FROM page WHERE kind = 1 ORDER BY likes::bigint DESC FETCH FIRST 3 ROWS ONLY'),
  ('SELECT id FROM page WHERE likes < 500 AND kind = 2 ORDER BY likes DESC, id LIMIT 3'),
  ('SELECT id, money FROM page ORDER BY money LIMIT 3'),
  ('SELECT id, money FROM page WHERE money IS NOT NULL ORDER BY money DESC, id LIMIT 3'),
  ('SELECT id, stock FROM page ORDER BY stock DESC LIMIT 2'),
  ('SELECT id FROM page WHERE likes > 9990 ORDER BY id'),
  ('SELECT id FROM page WHERE 9990 <= likes AND likes < 10000 AND kind < 2 ORDER BY id'),
  ('SELECT id FROM page WHERE likes BETWEEN 100 AND 110 ORDER BY id'),
  ('SELECT id FROM page WHERE likes = 7919 ORDER BY id'),
  ('SELECT id FROM page WHERE money > 29.97 ORDER BY id'),
  ('SELECT id FROM page WHERE stock < 3 ORDER BY id'),
  ('SELECT count(*) FROM page a JOIN page b ON b.id = a.id + 1 WHERE a.likes > 9990'),
  ('SELECT best.id FROM (SELECT id, likes FROM page ORDER BY likes DESC LIMIT 2) best ORDER BY id'),
  ('WITH best AS MATERIALIZED (SELECT id, likes FROM page ORDER BY likes DESC LIMIT 2) SELECT id FROM best ORDER BY id'),
  ('SELECT o.id FROM page o LEFT JOIN page p ON p.id = o.id AND p.kind = 1 WHERE p.likes > 9990 ORDER BY 1'),
  -- not by an index
  ('SELECT id FROM page ORDER BY likes DESC FETCH FIRST 2 ROWS WITH TIES'),
  ('SELECT kind FROM page GROUP BY kind ORDER BY sum(likes) DESC LIMIT 1'),
  ('SELECT id FROM page ORDER BY likes + 0 DESC LIMIT 2'),
  ('SELECT kind, (SELECT id FROM page b WHERE b.kind = a.kind ORDER BY likes DESC LIMIT 1) FROM page a WHERE id < 3 ORDER BY id'),
  ('SELECT id FROM page WHERE likes + 1 > 10006 ORDER BY id');
CREATE VIEW compared AS SELECT query, c.* FROM query, compare(query.query) c ORDER BY query.id;

-- nothing is split
SELECT * FROM compared;
-- some are: to the front, to the back, in between, twice, to the same value; one is changed in its row, too
SET abelian.split = always;
UPDATE page SET likes = likes + 20000, money = money + 5, stock = stock + 7 WHERE id IN (1, 2, 3, 4);
UPDATE page SET likes = likes - 20000, money = money - 100, stock = stock - 1 WHERE id IN (3, 5, 7);
UPDATE page SET likes = likes + 5 WHERE id BETWEEN 100 AND 120;
SET abelian.split = never;
UPDATE page SET likes = likes + 3, money = money + 1 WHERE id IN (4, 2999);
RESET abelian.split;
SELECT by_index, same, rows FROM compared;
-- and in a transaction that has operated, overwritten, deleted, inserted and gone back
BEGIN;
SET LOCAL abelian.split = always;
UPDATE page SET likes = likes + 50000 WHERE id IN (9, 10);
UPDATE page SET likes = 70000 WHERE id = 1;
DELETE FROM page WHERE id = 2;
INSERT INTO page VALUES (5001, 1, '', 60000, 1000, 1), (5002, 1, '', NULL, NULL, NULL);
SAVEPOINT a;
UPDATE page SET likes = likes + 80000 WHERE id IN (11, 12);
ROLLBACK TO a;
SELECT count(*), sum(by_index::int), bool_and(same) FROM compared;
SELECT rows FROM compare('SELECT id, likes FROM page WHERE likes IS NOT NULL ORDER BY likes DESC NULLS LAST LIMIT 6');
ROLLBACK;
-- a cursor stays with what it saw
BEGIN;
DECLARE best CURSOR FOR SELECT id, likes FROM page ORDER BY likes DESC LIMIT 2;
SET LOCAL abelian.split = always;
UPDATE page SET likes = likes + 50000 WHERE id IN (9, 10);
FETCH ALL FROM best;
ROLLBACK;
-- the number of rows as a parameter
PREPARE best(bigint) AS SELECT id FROM page ORDER BY likes DESC LIMIT $1;
EXECUTE best(2);
SET plan_cache_mode = force_generic_plan;
EXECUTE best(3);
EXECUTE best(0);
EXECUTE best(-1);
PREPARE best_of_int(int) AS SELECT id FROM page ORDER BY likes DESC LIMIT $1;
SELECT count(*) AS index_scans FROM (SELECT unnest(string_to_array(plan, E'\n')) FROM explained('EXECUTE best_of_int(2)') plan) line(text) WHERE text LIKE '%page_likes%';
RESET plan_cache_mode;
-- strict reads hold all that they look at
BEGIN;
SET LOCAL abelian.strict_reads = on;
SELECT by_index, same FROM compare('SELECT id, likes FROM page ORDER BY likes DESC LIMIT 3');
ROLLBACK;
-- operations do not wait for the row on account of the indexes, and need no entries
EXPLAIN (COSTS OFF) UPDATE page SET likes = likes + 1, stock = stock - 1 WHERE id = 1;
-- on account of one that has no two equal keys they do
CREATE UNIQUE INDEX single ON page (abelian.base(likes), id);
EXPLAIN (COSTS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1;
DROP INDEX single;
EXPLAIN (COSTS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1;
-- without one of the two indexes
DROP INDEX page_likes_object;
SELECT by_index, same FROM compare('SELECT id, likes FROM page ORDER BY likes DESC LIMIT 3');
-- for rewritten statements alone
SELECT abelian.objects_with_slices();
SELECT abelian.has_no_slices(1);
-- a base may lie outside of bigint
SELECT abelian.base(9223372036854775807::abelian.counter), abelian.base(1.50::abelian.decimal_counter);
