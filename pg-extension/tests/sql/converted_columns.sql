-- ALTER TABLE ... TYPE to an Abelian type and back: rows, defaults, NOT NULL, constraints, other indexes, triggers and statistics stay, values are kept. What
-- PostgreSQL refuses says what to do about it.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE TABLE page (id bigint PRIMARY KEY, title text NOT NULL, likes bigint NOT NULL DEFAULT 3, small int DEFAULT 5, income numeric(12, 2) DEFAULT 0.50,
  best bigint, ok boolean DEFAULT false, seen timestamptz DEFAULT '2024-01-01Z', CHECK (title <> ''));
CREATE INDEX page_title ON page (title);
CREATE STATISTICS page_likes_title ON likes, title FROM page;
CREATE TABLE told (what text);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (TG_OP || ' ' || new.likes); RETURN new; END $$;
CREATE TRIGGER told AFTER INSERT OR UPDATE ON page FOR EACH ROW EXECUTE FUNCTION tell();
CREATE VIEW titles AS SELECT id, title FROM page;
INSERT INTO page (id, title, best) SELECT i, 'page ' || i, i FROM generate_series(1, 3) i;
TRUNCATE told;
CREATE FUNCTION columns_of(regclass) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid))
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum $$;
-- There.
ALTER TABLE page ALTER likes TYPE abelian.counter, ALTER small TYPE abelian.counter, ALTER income TYPE abelian.decimal_counter, ALTER best TYPE abelian.max,
  ALTER ok TYPE abelian.bool_or, ALTER seen TYPE abelian.max_timestamptz;
SELECT columns_of('page');
SET abelian.split = always;
UPDATE page SET likes = likes + 1, small = small - 1, income = income + 0.25, best = greatest(best, 2), ok = ok OR id = 1, seen = greatest(seen, '2024-05-05Z');
UPDATE page SET likes = likes + 1 WHERE id = 1;
RESET abelian.split;
INSERT INTO page (id, title) VALUES (4, 'page 4');
INSERT INTO page (id, title) VALUES (5, '');
SET timezone = 'UTC';
SELECT * FROM page ORDER BY id;
SELECT * FROM titles WHERE id = 4;
SELECT what FROM told ORDER BY what;
-- And back, with values that were in slices.
ALTER TABLE page DISABLE TRIGGER told;
SET abelian.split = always;
UPDATE page SET likes = likes + 10;
UPDATE page SET likes = likes + 10;
RESET abelian.split;
ALTER TABLE page ALTER likes TYPE bigint, ALTER small TYPE int, ALTER income TYPE numeric(12, 2), ALTER best TYPE bigint, ALTER ok TYPE boolean,
  ALTER seen TYPE timestamptz;
SELECT columns_of('page');
SELECT * FROM page ORDER BY id;
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'page'::regclass ORDER BY 1::text;
-- A check of the column stays; so do bounds.
ALTER TABLE page ADD CONSTRAINT likes_are_positive CHECK (likes >= 0);
ALTER TABLE page ALTER likes TYPE abelian.counter;
UPDATE page SET likes = likes - 1000 WHERE id = 1;
ALTER TABLE page DROP CONSTRAINT likes_are_positive, ALTER likes TYPE abelian.bounded_counter(0);
UPDATE page SET likes = likes - 1000 WHERE id = 1;
ALTER TABLE page ALTER likes TYPE abelian.bounded_counter(0, 24);
ALTER TABLE page ALTER likes TYPE bigint;
-- Partitions and children follow.
CREATE TABLE visit (day date, n bigint DEFAULT 1) PARTITION BY RANGE (day);
CREATE TABLE visit_2024 PARTITION OF visit FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO visit VALUES ('2024-05-05', 7);
ALTER TABLE visit ALTER n TYPE abelian.counter;
UPDATE visit SET n = n + 1;
SELECT columns_of('visit_2024');
ALTER TABLE visit ALTER n TYPE bigint;
SELECT * FROM visit;
-- What hinders, there and back.
CREATE VIEW liked AS SELECT id, likes FROM page;
ALTER TABLE page ALTER likes TYPE abelian.counter;
BEGIN;
DROP VIEW liked;
ALTER TABLE page ALTER likes TYPE abelian.counter;
CREATE VIEW liked AS SELECT id, likes FROM page;
COMMIT;
SELECT columns_of('liked');
ALTER TABLE page ALTER likes TYPE bigint;
DROP VIEW liked;
ALTER TABLE page ALTER likes TYPE bigint;
CREATE TRIGGER of_likes BEFORE UPDATE OF likes ON page FOR EACH ROW EXECUTE FUNCTION tell();
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP TRIGGER of_likes ON page;
CREATE POLICY of_liked ON page USING (likes > 0);
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP POLICY of_liked ON page;
ALTER TABLE page ADD twice bigint GENERATED ALWAYS AS (likes * 2) STORED;
ALTER TABLE page ALTER likes TYPE abelian.counter;
ALTER TABLE page DROP twice;
CREATE FUNCTION total() RETURNS numeric LANGUAGE sql BEGIN ATOMIC SELECT sum(likes) FROM page; END;
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP FUNCTION total;
CREATE INDEX page_likes ON page (likes);
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP INDEX page_likes;
CREATE INDEX page_likes ON page (id) INCLUDE (likes);
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP INDEX page_likes;
CREATE INDEX page_likes ON page (id) WHERE likes > 10;
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP INDEX page_likes;
CREATE INDEX page_likes ON page ((likes % 10));
ALTER TABLE page ALTER likes TYPE abelian.counter;
DROP INDEX page_likes;
ALTER TABLE page ALTER title TYPE abelian.counter;
-- The hint is for conversions alone.
CREATE VIEW liked AS SELECT id, likes FROM page;
ALTER TABLE page ALTER likes TYPE int;
DROP VIEW liked;
-- What hindered nothing was changed by it.
SELECT columns_of('page');
SELECT * FROM page ORDER BY id;
