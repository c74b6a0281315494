-- A like counter: any number of users like one page at the same time, and none waits for another.
-- Runs on: node.
CREATE SCHEMA likes;
SET search_path = likes;

CREATE TABLE page (
  id bigint PRIMARY KEY,
  title text NOT NULL,
  likes abelian.counter NOT NULL DEFAULT 0
);
-- Who likes what, so that nobody likes a page twice.
CREATE TABLE liked (
  page bigint REFERENCES page,
  person text,
  PRIMARY KEY (page, person)
);
INSERT INTO page (id, title) VALUES (1, 'Hot rows'), (2, 'Cold rows');

-- Add in a statement of its own. Reading the counter in the same transaction would make it wait for those of others.
BEGIN;
INSERT INTO liked VALUES (1, 'ann');
UPDATE page SET likes = likes + 1 WHERE id = 1;
COMMIT;
BEGIN;
INSERT INTO liked VALUES (1, 'bob');
UPDATE page SET likes = likes + 1 WHERE id = 1;
COMMIT;

-- The key refuses a second like, and takes the addition back with it.
BEGIN;
UPDATE page SET likes = likes + 1 WHERE id = 1;
INSERT INTO liked VALUES (1, 'ann');
COMMIT;

-- An unlike subtracts.
BEGIN;
DELETE FROM liked WHERE page = 1 AND person = 'bob';
UPDATE page SET likes = likes - 1 WHERE id = 1;
COMMIT;

-- A counter is a bigint to whoever reads it.
SELECT title, likes FROM page ORDER BY likes DESC, title;
SELECT sum(likes) AS likes, (SELECT count(*) FROM liked) AS rows FROM page;

DROP SCHEMA likes CASCADE;
