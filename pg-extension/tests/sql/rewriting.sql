-- Which way a statement goes, and that privileges, plans and definitions are as users expect.
SET client_min_messages = warning;
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, money abelian.decimal_counter, title text);
INSERT INTO page SELECT i, 0, 0, 't' FROM generate_series(1, 3) i;

-- pure operations, whatever their spelling and the search path
EXPLAIN (COSTS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1;
EXPLAIN (COSTS OFF) UPDATE page SET likes = 2 + page.likes - 1, money = money - 0.5 WHERE title = 't';
SET search_path = abelian, public;
EXPLAIN (COSTS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1 RETURNING id;
RESET search_path;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1;
SET abelian.split = always;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1;
RESET abelian.split;
SET abelian.concurrent_operations = off;
EXPLAIN (COSTS OFF) UPDATE page SET likes = likes + 1 WHERE id = 1;
RESET abelian.concurrent_operations;

-- prepared statements: parameters of every type, beyond the switch to a generic plan
PREPARE add_small (smallint, int) AS UPDATE page SET likes = likes + $1 WHERE id = $2;
PREPARE add_untyped AS UPDATE page SET likes = likes + $1, money = money + $2 WHERE id = $3;
SELECT name, parameter_types FROM pg_prepared_statements ORDER BY name;
EXECUTE add_small (1, 2); EXECUTE add_small (1, 2); EXECUTE add_small (1, 2); EXECUTE add_small (1, 2);
EXECUTE add_small (1, 2); EXECUTE add_small (1, 2); EXECUTE add_small (1, 2); EXECUTE add_small (1, 2);
EXPLAIN (COSTS OFF) EXECUTE add_small (1, 2);
EXECUTE add_untyped (5, 1.5, 2);
SELECT * FROM page ORDER BY id;

-- a plan follows changes of the table
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER t BEFORE UPDATE ON page FOR EACH ROW EXECUTE FUNCTION nothing();
EXPLAIN (COSTS OFF) EXECUTE add_small (1, 2);
DROP TRIGGER t ON page;
EXPLAIN (COSTS OFF) EXECUTE add_small (1, 2);
ALTER TABLE page ADD CHECK (likes >= 0);
EXPLAIN (COSTS OFF) EXECUTE add_small (1, 2);
ALTER TABLE page DROP CONSTRAINT page_likes_check;

-- what clients are told
SELECT likes, money FROM page \gdesc
SELECT likes FROM page UNION SELECT 1::bigint \gdesc
SELECT DISTINCT likes FROM page ORDER BY likes \gdesc
SELECT likes, count(*) FROM page GROUP BY likes ORDER BY likes \gdesc
UPDATE page SET likes = likes + 1 RETURNING likes, money \gdesc
CREATE VIEW popular AS SELECT id, likes FROM page WHERE id < 3;
SELECT * FROM popular \gdesc
\d popular
UPDATE popular SET likes = likes + 1;

-- tables made of queries have objects of their own
CREATE TABLE copied AS SELECT * FROM page;
SELECT id, likes AS picked INTO selected FROM page ORDER BY likes;
CREATE MATERIALIZED VIEW materialized AS SELECT id, likes FROM page;
UPDATE page SET likes = likes + 100;
SET abelian.split = always;
UPDATE copied SET likes = likes + 10000;
UPDATE page SET likes = likes + 100;
RESET abelian.split;
SELECT c.likes, s.picked, m.likes, p.likes FROM copied c, selected s, materialized m, page p WHERE c.id = 2 AND s.id = 2 AND m.id = 2 AND p.id = 2;
REFRESH MATERIALIZED VIEW materialized;
SELECT likes FROM materialized WHERE id = 2;
\d copied

-- no index can follow a value
CREATE INDEX ON page (likes);
CREATE TABLE unlucky (c abelian.counter PRIMARY KEY);
ALTER TABLE page ADD UNIQUE (money);

-- volatile arguments are evaluated once for each row
CREATE SEQUENCE s;
UPDATE page SET likes = likes + nextval('s');
SELECT last_value FROM s;

-- literals and defaults: no two rows share an object
CREATE TABLE literal (id int, c abelian.counter DEFAULT '7');
PREPARE put AS INSERT INTO literal VALUES ($1, '5');
EXECUTE put (1); EXECUTE put (2);
INSERT INTO literal (id) VALUES (3), (4);
INSERT INTO literal (id) SELECT 5;
ALTER TABLE literal ADD late abelian.counter DEFAULT '9';
SET abelian.split = always;
UPDATE literal SET c = c + 1, late = late + 1 WHERE id IN (1, 3);
UPDATE literal SET c = c + 1, late = late + 1 WHERE id IN (1, 3);
RESET abelian.split;
SELECT * FROM literal ORDER BY id;
