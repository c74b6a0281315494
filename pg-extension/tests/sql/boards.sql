-- bottom_k, top_items and bottom_items, in the row, in slices and by PostgreSQL's own executor; the best of a journal; bad input; trim of a scored_set.
\pset null NULL
SET client_min_messages = warning;
CREATE TABLE boards (way text PRIMARY KEY, low abelian.bottom_k DEFAULT abelian.bottom_k(3), best abelian.top_items DEFAULT abelian.top_items(3), fast abelian.bottom_items DEFAULT abelian.bottom_items(3));
INSERT INTO boards VALUES ('row'), ('slices'), ('ordinary');
CREATE TABLE journal AS SELECT i AS n, round((i * 37) % 101 / 2.0, 1) AS score, 'item ' || i % 7 AS item FROM generate_series(1, 60) i;
EXPLAIN (COSTS off) UPDATE boards SET best = abelian.add(best, 1, 'a'), low = abelian.add(low, 1, 'a'), fast = abelian.add(fast, 1, 'a') WHERE way = 'row';
CREATE PROCEDURE play(chosen text) LANGUAGE plpgsql AS $$ DECLARE j record; BEGIN
  FOR j IN SELECT * FROM journal ORDER BY n LOOP
    UPDATE boards SET low = abelian.add(low, j.score, j.item), best = abelian.add(best, j.score, j.item), fast = abelian.add(fast, j.score, j.item) WHERE way = chosen;
  END LOOP;
END $$;
CALL play('row');
SET abelian.split = always;
CALL play('slices');
RESET abelian.split;
SET abelian.concurrent_operations = off;
CALL play('ordinary');
RESET abelian.concurrent_operations;
SELECT low, best, fast, string_agg(way, ' ' ORDER BY way) AS ways FROM boards GROUP BY 1, 2, 3;
SELECT x.* FROM boards, abelian.bottom(low) x WHERE way = 'row';
SELECT score, item FROM journal ORDER BY score, item COLLATE "C" DESC LIMIT 3;
SELECT x.* FROM boards, abelian.top(best) x WHERE way = 'row';
SELECT max(score) AS score, item FROM journal GROUP BY item ORDER BY 1 DESC, item COLLATE "C" DESC LIMIT 3;
SELECT x.* FROM boards, abelian.bottom(fast, 2) x WHERE way = 'slices';
SELECT min(score) AS score, item FROM journal GROUP BY item ORDER BY 1, item COLLATE "C" DESC LIMIT 2;
-- A score that is no better writes nothing, and a column that is NULL keeps all.
UPDATE boards SET best = abelian.add(best, 1, 'item 3'), low = NULL, fast = abelian.add(fast, NULL, 'item 3') WHERE way = 'row';
UPDATE boards SET low = abelian.add(low, id, 'x') FROM generate_series(1, 1) id WHERE way = 'row';
UPDATE boards SET low = abelian.add(abelian.add(low, 'NaN', 'y'), '-Infinity', 'x') WHERE way = 'row';
SELECT low, abelian.size(low), abelian.size(best), abelian.size(fast) FROM boards WHERE way = 'row';
-- Values: written and read alike; parts of an array, of which the best of each item count.
SELECT way FROM boards WHERE best::text::abelian.top_items OPERATOR(abelian.|=|) best AND fast::jsonb::abelian.bottom_items OPERATOR(abelian.|=|) fast AND low::text::abelian.bottom_k OPERATOR(abelian.|=|) low ORDER BY way;
SELECT '{"k": 2, "top": [{"score": 1, "item": "a"}, {"score": 2, "item": "a"}, {"score": 1.5, "item": "b"}, {"score": 0, "item": "c"}, {"score": null, "item": "d"}]}'::abelian.top_items;
SELECT '[{"score": 1, "item": "a"}, {"score": 2, "item": "a"}]'::abelian.bottom_items, '[]'::abelian.bottom_k, abelian.top_items(1);
SELECT abelian.top_items_of(score, item) -> 'top' -> 0 AS best, abelian.bottom_items_of(score, item) -> 'bottom' -> 0 AS fast, jsonb_array_length(abelian.bottom_k_of(score, item) -> 'bottom') FROM journal;
\set VERBOSITY terse
SELECT abelian.top_items(0);
SELECT '{"k": 2}'::abelian.bottom_k;
SELECT '{"bottom": [1]}'::abelian.bottom_k;
SELECT abelian.top_items_from_arrays('{1}', '{a,b}');
-- trim
CREATE TABLE race (id int PRIMARY KEY, points abelian.scored_set);
INSERT INTO race VALUES (1, '{"a": 1, "b": 2, "c": 2.0, "d": -3}'), (2, NULL), (3, '{}');
UPDATE race SET points = abelian.add(points, 'e', 2) WHERE id = 1;
SET abelian.split = always;
UPDATE race SET points = abelian.add(points, 'f', 9) WHERE id = 1;
EXPLAIN (COSTS off) UPDATE race SET points = abelian.trim(points, 3);
UPDATE race SET points = abelian.trim(points, 3);
SELECT id, points, abelian.trim(points, 0) AS none, abelian.trim(points, 9) OPERATOR(abelian.|=|) points AS same FROM race ORDER BY id;
UPDATE race SET points = abelian.trim(points, -1);
-- Another k, in the row, in slices and where all are kept: what was left out stays out, and what comes is kept by the new k.
CREATE TABLE sizes (id int PRIMARY KEY, a abelian.top_k DEFAULT abelian.top_k(2), b abelian.bottom_k DEFAULT abelian.bottom_k(2), c abelian.top_items DEFAULT abelian.top_items(2), d abelian.bottom_items DEFAULT abelian.bottom_items(2));
INSERT INTO sizes VALUES (1);
INSERT INTO sizes VALUES (2, NULL, NULL, NULL, NULL);
UPDATE sizes SET a = abelian.add(a, n, 'x' || n), b = abelian.add(b, n, 'x' || n), c = abelian.add(c, n, 'x' || n), d = abelian.add(d, n, 'x' || n) FROM (VALUES (1)) v(n);
SET abelian.split = always;
DO $$ BEGIN FOR n IN 2..4 LOOP UPDATE sizes SET a = abelian.add(a, n, 'x' || n), b = abelian.add(b, n, 'x' || n), c = abelian.add(c, n, 'x' || n), d = abelian.add(d, n, 'x' || n); END LOOP; END $$;
EXPLAIN (COSTS off) UPDATE sizes SET a = abelian.set_k(a, 3);
UPDATE sizes SET a = abelian.set_k(a, 3), b = abelian.set_k(b, 3), c = abelian.set_k(c, 3), d = abelian.set_k(d, 3);
SELECT * FROM sizes ORDER BY id;
DO $$ BEGIN FOR n IN 5..8 LOOP UPDATE sizes SET a = abelian.add(a, n, 'x' || n), b = abelian.add(b, -n, 'x' || n), c = abelian.add(c, n, 'x' || n), d = abelian.add(d, -n, 'x' || n); END LOOP; END $$;
UPDATE sizes SET b = abelian.set_k(b, 1), c = abelian.set_k(c, 1), d = abelian.set_k(d, NULL) WHERE id = 1;
UPDATE sizes SET a = abelian.add(a, 9, 'x'), b = abelian.add(b, -9, 'x'), c = abelian.add(c, 9, 'x'), d = abelian.add(d, -9, 'x') WHERE id = 1;
SELECT a, b, c, d FROM sizes WHERE id = 1;
UPDATE sizes SET a = abelian.set_k(a, 0);
UPDATE sizes SET a = abelian.set_k(a, -1);
