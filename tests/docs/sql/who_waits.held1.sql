CREATE TABLE page (id bigint PRIMARY KEY, likes abelian.counter, title text);
INSERT INTO page VALUES (1, 0, 'a'), (2, 0, 'b');
BEGIN;
UPDATE page SET likes = likes + 1;
BEGIN;
UPDATE page SET title = 'c' WHERE id = 2;
