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
-- Whoever may read must not remove or lock by calling what rewritten statements call.
SET abelian.split = always;
UPDATE page SET likes = likes + 1 WHERE id = 1;
SELECT abelian.replace(likes, 0, NULL, tableoid) FROM page;
SELECT abelian.operate(likes, 5, NULL, tableoid) FROM page;
SELECT abelian.newest(likes, NULL, tableoid, 1) FROM page;
SELECT abelian.replace(likes, 0, '(0,1)', 'page'::regclass) FROM page;
SELECT abelian.operate(likes, 5, '(0,1)', 'page'::regclass) FROM page;
SELECT abelian.newest(likes, '(0,1)', 'page'::regclass, 1) FROM page;
SELECT abelian.keep(likes, '(0,1)', 'page'::regclass) FROM page;
SELECT abelian.lock_row('(0,1)', 'page'::regclass, 1);
SELECT abelian.in_snapshot('(0,1)', 'page'::regclass);
SELECT abelian.replace(NULL::abelian.bounded_counter, 1, NULL, NULL, NULL, NULL);
SELECT abelian.replace(1::bigint::abelian.max, 1::bigint::abelian.max, NULL, NULL);
RESET abelian.split;
RESET ROLE;
SELECT * FROM page;
DROP OWNED BY clerk_of_privileges;
DROP ROLE clerk_of_privileges;
