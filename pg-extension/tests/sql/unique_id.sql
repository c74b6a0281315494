-- abelian.unique_id: what is drawn, by which path, and what the column keeps.
\pset null NULL
SET client_min_messages = warning;
CREATE TABLE office (id int PRIMARY KEY, ticket abelian.unique_id, note text);
INSERT INTO office VALUES (1, 0, 'n'), (2, NULL, 'n'), (3, 1000000, 'n');
EXPLAIN (COSTS off) UPDATE office SET ticket = abelian.draw(ticket) WHERE id = 1 RETURNING ticket, note;
-- Whoever sees the column otherwise holds the row.
EXPLAIN (COSTS off) UPDATE office SET ticket = abelian.draw(ticket) WHERE ticket > 5;
EXPLAIN (COSTS off) UPDATE office SET ticket = greatest(ticket, 5);
CREATE TABLE numbers (n bigint PRIMARY KEY);
WITH d AS (UPDATE office SET ticket = abelian.draw(ticket) RETURNING ticket) INSERT INTO numbers SELECT ticket FROM d;
PREPARE draw AS UPDATE office SET ticket = abelian.draw(ticket) RETURNING ticket;
CREATE PROCEDURE draw_all() LANGUAGE plpgsql AS $$ DECLARE given bigint; BEGIN
  FOR given IN UPDATE office SET ticket = abelian.draw(ticket) WHERE id > 0 RETURNING ticket LOOP INSERT INTO numbers VALUES (given); END LOOP;
END $$;
CALL draw_all();
SET abelian.split = always;
CALL draw_all();
CALL draw_all();
SET abelian.split = never;
CALL draw_all();
RESET abelian.split;
-- in a loop of the executor, one for each row
INSERT INTO numbers SELECT abelian.draw(ticket) FROM office, generate_series(1, 100);
SELECT count(*), count(*) FILTER (WHERE n % 1024 = 0) AS of_this_node, min(n) > 0 AS positive FROM numbers;
-- The column keeps the greatest.
SELECT id, ticket = 1000000 AS assigned, ticket IN (SELECT n FROM numbers) AS drawn FROM office ORDER BY id;
-- A number that was rolled back is not drawn again.
BEGIN;
SELECT ticket AS lost FROM office WHERE id = 1 \gset
UPDATE office SET ticket = abelian.draw(ticket) WHERE id = 1 RETURNING ticket AS lost \gset
ROLLBACK;
INSERT INTO numbers VALUES (:lost);
CALL draw_all();
-- Several in one expression, RETURNING beside other columns.
UPDATE office SET ticket = abelian.draw(ticket) WHERE id = 1 RETURNING id, ticket::bigint = ticket AS same, ticket > :lost AS later, note;
SELECT abelian.draw(NULL) > 0 AS drawn;
\set VERBOSITY terse
UPDATE office SET ticket = 'x' WHERE id = 1;
SELECT abelian.add(ticket, 5) FROM office;
