-- Which statements are blind, so that a transaction of them over several nodes needs no prepare; and the text that does them again.
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA shop;
CREATE TABLE shop.page (id int PRIMARY KEY, tenant int NOT NULL, name text UNIQUE, likes abelian.counter, best abelian.max,
  stock abelian.bounded_counter, weight int, plain bigint, tags abelian.set, ticket abelian.unique_id, top abelian.top_k);
CREATE TABLE shop.log (page int, what text, at timestamptz DEFAULT now());
CREATE TABLE shop.event (page int, what text, n int DEFAULT 7);
CREATE TABLE shop.guarded (id int PRIMARY KEY, likes abelian.counter);
CREATE FUNCTION shop.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER t BEFORE UPDATE ON shop.guarded FOR EACH ROW EXECUTE FUNCTION shop.nothing();
CREATE TABLE shop.child (page int REFERENCES shop.page, what text);
SET search_path = shop, public;
-- From its minor versions of November 2026 on PostgreSQL writes AS before the other name of a table that is changed.
CREATE FUNCTION pg_temp.blind(statement text) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(replace(f -> 'blind' ->> 'redo', ' AS p ', ' p '), f -> 'blind' ->> 'reason', 'does not write') FROM jsonb_array_elements(abelian.analyze(statement, '{}')::jsonb) f $$;
SELECT pg_temp.blind(s) FROM (VALUES
  (1, 'UPDATE page SET likes = likes + 1 WHERE id = 7'),
  (2, 'UPDATE page p SET likes = p.likes - $1 WHERE $2 = p.id'),
  (3, 'UPDATE page SET likes = likes + 1 WHERE name = ''it''''s'''),
  (4, 'UPDATE page SET likes = likes + 1, best = greatest(best, 9) WHERE id = 7'),
  (5, 'UPDATE page SET likes = likes + 1 WHERE id = 7 AND weight = 3'),
  (6, 'UPDATE page SET likes = likes + 1 WHERE id > 7'),
  (7, 'UPDATE page SET likes = likes + 1 WHERE id IN (7, 8)'),
  (8, 'UPDATE page SET likes = likes + 1 WHERE id = 7 OR id = 8'),
  (9, 'UPDATE page SET likes = likes + weight WHERE id = 7'),
  (10, 'UPDATE page SET likes = 5 WHERE id = 7'),
  (11, 'UPDATE page SET likes = likes + 1, plain = 3 WHERE id = 7'),
  (12, 'UPDATE page SET plain = plain + 1 WHERE id = 7'),
  (13, 'UPDATE page SET stock = stock - 1 WHERE id = 7'),
  (14, 'UPDATE page SET likes = likes + 1 WHERE id = 7 RETURNING likes'),
  (15, 'UPDATE page SET likes = likes + (random() * 10)::int WHERE id = 7'),
  (16, 'UPDATE page SET likes = likes + extract(day FROM now())::int WHERE id = 7'),
  (17, 'UPDATE page SET likes = likes + (SELECT 1) WHERE id = 7'),
  (18, 'WITH w AS (SELECT 7) UPDATE page SET likes = likes + 1 WHERE id = (TABLE w)'),
  (19, 'UPDATE page SET likes = likes + 1 FROM event WHERE id = 7'),
  (20, 'UPDATE guarded SET likes = likes + 1 WHERE id = 7'),
  (21, 'INSERT INTO event VALUES (1, ''seen''), ($1, $2)'),
  (22, 'INSERT INTO event (page) VALUES (1)'),
  (23, 'INSERT INTO log VALUES (1, ''seen'')'),
  (24, 'INSERT INTO log VALUES (1, ''seen'', ''2026-01-01 00:00+00'')'),
  (25, 'INSERT INTO event SELECT 1, ''seen'''),
  (26, 'INSERT INTO event SELECT page, what FROM event'),
  (27, 'INSERT INTO page (id, tenant) VALUES (1, 1)'),
  (28, 'INSERT INTO page (id, tenant) VALUES (1, 1) ON CONFLICT DO NOTHING'),
  (29, 'INSERT INTO child VALUES (1, ''x'')'),
  (30, 'INSERT INTO event VALUES (1) RETURNING page'),
  (31, 'DELETE FROM event WHERE page = 1'),
  (32, 'SELECT likes FROM page WHERE id = 7'),
  (33, 'UPDATE page SET tags = abelian.remove(tags, ''x'') WHERE id = 7'),
  (34, 'UPDATE page SET tags = abelian.add(tags, ''x'') WHERE id = 7'),
  (35, 'UPDATE page SET ticket = abelian.draw(ticket) WHERE id = 7'),
  (36, 'UPDATE page SET top = abelian.add(top, 5, ''five'') WHERE id = 7')) v(n, s) ORDER BY n;
-- what it prints means the same whatever the search path
SELECT pg_temp.blind(pg_temp.blind('UPDATE page SET likes = likes + 1, best = greatest(best, 9) WHERE id = $1'));
