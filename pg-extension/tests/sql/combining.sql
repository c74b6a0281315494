-- Updates of several sessions as one: which can be, into which text, and that the text is refused where somebody sees the single operations.
\pset format unaligned
CREATE TABLE page (id int PRIMARY KEY, kind text NOT NULL DEFAULT 'a', likes abelian.counter NOT NULL DEFAULT 0, stock abelian.bounded_counter(0),
                   paid abelian.decimal_counter NOT NULL DEFAULT 0, n bigint NOT NULL DEFAULT 0);
CREATE TABLE purse (id int PRIMARY KEY, paid abelian.bounded_decimal(2) NOT NULL DEFAULT 0);
CREATE TABLE parent (id int, likes abelian.counter);
CREATE TABLE child () INHERITS (parent);
CREATE TABLE watched (id int, likes abelian.counter NOT NULL DEFAULT 0);
CREATE TABLE checked (id int, likes abelian.counter CHECK (likes::bigint < 100));
CREATE FUNCTION mine(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION opaque(int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN $1; END';
CREATE VIEW seen AS SELECT id, likes FROM page;
-- From its minor versions of November 2026 on PostgreSQL writes AS before the other name of a table that is changed.
CREATE FUNCTION combined(query text, types regtype[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(replace(c->>'text', ' AS p ', ' p ') || ' (' || (SELECT string_agg(t::oid::regtype::text, ', ') FROM jsonb_array_elements_text(c->'parameters') t) || ') '
                  || (SELECT string_agg(concat(CASE WHEN (o->>'negative')::bool THEN '-' END, coalesce('$' || (o->>'param'), o->>'const'), ' ', (o->>'type')::oid::regtype,
                                               CASE WHEN (o->>'bounded')::bool THEN ' bounded' END,
                                               ' ' || nullif(o->>'merge', 'sum')), ', ') FROM jsonb_array_elements(c->'operands') o), '-')
    FROM (SELECT coalesce(nullif(f->'combined', 'null'), f->'combined_extrema') FROM (SELECT abelian.analyze(query, types::oid[])::jsonb->0) a(f)) f(c)
$$;
SELECT statement, combined(statement) FROM (VALUES
  ('UPDATE page SET likes = likes + 1 WHERE id = 7'), ('UPDATE page SET likes = likes - 2 WHERE id = 7'), ('UPDATE page SET likes = likes + $1 WHERE id = $2'),
  ('UPDATE page SET likes = $2::int + likes WHERE id = $1'), ('UPDATE page SET likes = likes + $2::smallint WHERE id = $1 AND kind = $3'),
  ('UPDATE page SET stock = stock - $1 WHERE id = $2'), ('UPDATE page SET paid = paid + 1.50 WHERE id = 1'), ('UPDATE page SET paid = paid - $1 WHERE id = 1'),
  ('UPDATE page SET likes = likes + 1, paid = paid + $1 WHERE id = $2'), ('UPDATE page p SET likes = p.likes + (1 + 2) WHERE p.id = 1'),
  ('UPDATE seen SET likes = likes + 1 WHERE id = 7'), ('UPDATE ONLY page SET likes = likes + 1'), ('UPDATE page SET likes = likes + 1 WHERE mine(id) = 1'),
  -- not these; what is added to a bounded decimal is rounded by itself
  ('UPDATE purse SET paid = paid + 0.005 WHERE id = 1'), ('UPDATE purse SET paid = paid - $1 WHERE id = 1'),
  ('UPDATE page SET likes = likes + 1 WHERE id = 7 RETURNING likes'), ('UPDATE page SET likes = 1 WHERE id = 7'), ('UPDATE page SET likes = likes + 1 + 1 WHERE id = 7'),
  ('UPDATE page SET likes = likes + id WHERE id = 7'), ('UPDATE page SET likes = likes + $1 WHERE id = $1'), ('UPDATE page SET likes = likes + NULL WHERE id = 7'),
  ('UPDATE page SET likes = likes + 1, n = n + 1 WHERE id = 7'), ('UPDATE page SET n = n + 1 WHERE id = 7'), ('UPDATE page SET likes = likes * 2 WHERE id = 7'),
  ('UPDATE page SET likes = likes + 1 WHERE likes < 10'), ('UPDATE page SET likes = likes + (random() * 10)::int WHERE id = 7'),
  ('UPDATE page SET likes = likes + 1 WHERE id = opaque(7)'), ('UPDATE page SET likes = likes + 1 WHERE kind = current_user'),
  ('UPDATE page SET likes = likes + 1 WHERE id = (SELECT 7)'), ('UPDATE page SET likes = page.likes + 1 FROM watched w WHERE w.id = page.id'),
  ('WITH x AS (SELECT 7) UPDATE page SET likes = likes + 1 WHERE id = (TABLE x)'), ('UPDATE parent SET likes = likes + 1 WHERE id = 7'),
  ('UPDATE checked SET likes = likes + 1 WHERE id = 7'), ('INSERT INTO watched VALUES (1)'), ('DELETE FROM watched'), ('SELECT 1')) s(statement);

-- The greatest and the least; routers that can only add never see them
CREATE TABLE auction (id int PRIMARY KEY, high abelian.max, low abelian.min_numeric, bids abelian.counter NOT NULL DEFAULT 0, latest abelian.max_timestamptz,
                      label abelian.max_text, sold abelian.bool_or);
SELECT statement, combined(statement) FROM (VALUES
  ('UPDATE auction SET high = greatest(high, 7) WHERE id = 1'), ('UPDATE auction SET high = greatest($1, high) WHERE id = $2'),
  ('UPDATE auction SET high = greatest(high, $1::int) WHERE id = 1'), ('UPDATE auction SET high = greatest(high, ''7'') WHERE id = 1'),
  ('UPDATE auction SET high = greatest(high::bigint, $1) WHERE id = 1'), ('UPDATE auction SET low = least(low, $1) WHERE id = 1'),
  ('UPDATE auction SET low = least(low, 7.50), high = greatest(high, $1), bids = bids + 1 WHERE id = 1'),
  -- not these
  ('UPDATE auction SET high = least(high, 7) WHERE id = 1'), ('UPDATE auction SET high = greatest(high, 7, 8) WHERE id = 1'),
  ('UPDATE auction SET high = greatest(high, $1) WHERE id = $1'), ('UPDATE auction SET high = greatest(high, id) WHERE id = 1'),
  ('UPDATE auction SET high = greatest(high, NULL) WHERE id = 1'), ('UPDATE auction SET high = greatest(high, 7.5::abelian.max) WHERE id = 1'),
  ('UPDATE auction SET latest = greatest(latest, $1) WHERE id = 1'), ('UPDATE auction SET label = greatest(label, $1) WHERE id = 1'),
  ('UPDATE auction SET sold = sold OR true WHERE id = 1'), ('UPDATE auction SET high = greatest(high, 7) WHERE id = 1 AND high < 7')) s(statement);
SELECT f->'combined' AS sums, f->'combined_extrema' IS NOT NULL AS extrema
  FROM (SELECT abelian.analyze('UPDATE auction SET high = greatest(high, 7), bids = bids + 1 WHERE id = 1', '{}')::jsonb->0) a(f);
INSERT INTO auction (id, high, low, bids) VALUES (1, NULL, NULL, 0), (2, 5, 5, 5);
PREPARE bids (bigint, numeric, bigint) AS
  UPDATE auction SET high = GREATEST(high, abelian.combined($1)), low = LEAST(low::numeric, abelian.combined($2)), bids = bids + abelian.combined($3);
EXECUTE bids(4, 6, 2);
EXECUTE bids(7, 3.5, 1);
SELECT id, high, low, bids FROM auction ORDER BY id;
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER pass AFTER UPDATE ON auction FOR EACH ROW EXECUTE FUNCTION pass();
EXECUTE bids(9, 1, 1);
DROP TRIGGER pass ON auction;
UPDATE auction SET high = abelian.combined(9::bigint);
UPDATE auction SET high = greatest(high, abelian.combined(9::bigint)) RETURNING high;

-- What the text does
INSERT INTO page (id, stock) VALUES (1, 10), (2, 10);
INSERT INTO watched VALUES (1);
PREPARE several (bigint, numeric, int) AS UPDATE page SET likes = likes + abelian.combined($1), paid = paid + abelian.combined($2) WHERE id = $3;
EXECUTE several(5, 1.25, 1);
EXECUTE several(-2, -0.05, 1);
EXECUTE several(1, 1, 3);
PREPARE taken (bigint) AS UPDATE page SET stock = stock + abelian.combined($1) WHERE id = 2;
EXECUTE taken(-4);
EXECUTE taken(-7);
SELECT id, likes, paid, stock FROM page ORDER BY id;

-- The plan is made anew when somebody comes to see the single operations
PREPARE watch (bigint) AS UPDATE watched SET likes = likes + abelian.combined($1);
EXECUTE watch(3);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER note AFTER UPDATE ON watched FOR EACH ROW EXECUTE FUNCTION note();
EXECUTE watch(3);
SELECT combined('UPDATE watched SET likes = likes + 1');
DROP TRIGGER note ON watched;
EXECUTE watch(4);
ALTER TABLE watched ADD CHECK (likes::bigint < 100);
EXECUTE watch(3);
ALTER TABLE watched DROP CONSTRAINT watched_likes_check;
ALTER TABLE watched ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON watched USING (id > 0);
EXECUTE watch(3);
SELECT combined('UPDATE watched SET likes = likes + 1');
ALTER TABLE watched DISABLE ROW LEVEL SECURITY;
EXECUTE watch(5);
SELECT likes FROM watched;
SET abelian.concurrent_operations = off;
UPDATE watched SET likes = likes + abelian.combined(3::bigint);
SELECT combined('UPDATE watched SET likes = likes + 1');
RESET abelian.concurrent_operations;

-- and nowhere else
SELECT abelian.combined(1::bigint);
UPDATE page SET n = n + abelian.combined(1::bigint);
UPDATE page SET likes = likes + abelian.combined(1::bigint) RETURNING likes;
UPDATE page SET likes = abelian.combined(1::bigint);
SELECT likes, n FROM page ORDER BY id;
