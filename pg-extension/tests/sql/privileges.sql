-- as: abelian
-- Rewritten statements ask for the privileges of the statement that was written.
SET client_min_messages = warning;
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, title text, secret abelian.counter);
INSERT INTO page VALUES (1, 0, 't', 5);
CREATE ROLE clerk_of_privileges;
GRANT SELECT (id, title), UPDATE (title) ON page TO clerk_of_privileges;
SET ROLE clerk_of_privileges;
UPDATE page SET title = 'u' WHERE id = 1;
UPDATE page SET likes = likes + 1 WHERE id = 1;
UPDATE page SET likes = 1 WHERE id = 1;
UPDATE page SET title = 'u' WHERE id = 1 RETURNING secret;
SELECT title FROM page WHERE id = 1 FOR UPDATE;
SELECT secret FROM page;
DELETE FROM page;
RESET ROLE;
GRANT SELECT (likes), UPDATE (likes) ON page TO clerk_of_privileges;
SET ROLE clerk_of_privileges;
UPDATE page SET likes = likes + 1 WHERE id = 1;
UPDATE page SET likes = likes + 1 WHERE id = 1 RETURNING likes;
RESET ROLE;
SELECT * FROM page;
DROP OWNED BY clerk_of_privileges;
DROP ROLE clerk_of_privileges;
