-- Through the router, rows, tables and procedures of another role are as far away as on a node.
-- as: abelian
CREATE SCHEMA towns AUTHORIZATION victim;
GRANT USAGE ON SCHEMA towns TO PUBLIC;
-- as: victim
CREATE TABLE towns.page (id int PRIMARY KEY, likes abelian.counter, owner name);
SELECT create_distributed_table('towns.page', 'id');
INSERT INTO towns.page VALUES (1, 0, 'victim'), (2, 0, 'victim'), (3, 0, 'client'), (4, 0, 'victim'), (5, 0, 'client');
CREATE PROCEDURE towns.like_it(number int) LANGUAGE sql AS $$ UPDATE towns.page SET likes = likes + 1 WHERE id = number $$;
SELECT create_distributed_procedure('towns.like_it(int)', 'number', 'towns.page');
-- as: stranger
SELECT * FROM towns.page;
--! 42501
SELECT count(*) FROM towns.page WHERE id = 1;
--! 42501
UPDATE towns.page SET likes = likes + 1 WHERE id = 1;
--! 42501
INSERT INTO towns.page VALUES (9, 0, 'stranger');
--! 42501
DELETE FROM towns.page;
--! 42501
TRUNCATE towns.page;
--! 42501
BEGIN;
LOCK TABLE towns.page;
--! 42501
ROLLBACK;
COPY (SELECT * FROM towns.page WHERE id = 1) TO STDOUT;
--! 42501
CALL towns.like_it(1);
--! 42501
SELECT undistribute_table('towns.page');
--! 42501
SELECT create_lookup_index('towns.page', 'id');
--! 42501
SELECT drop_lookup_index('towns.page', 'id');
--! 42501
SELECT create_reference_table('towns.page');
--! 42501
SELECT undistribute_procedure('towns.like_it(int)');
--! 42501
DROP TABLE towns.page;
--! 42501
ALTER TABLE towns.page ADD COLUMN more int;
--! 42501
CREATE INDEX ON towns.page (owner);
--! 42501
SELECT abelian.join_values('towns.page');
--! 42501
-- Row security by role holds on every node, and at the combination of what they give.
-- as: victim
GRANT SELECT, UPDATE ON towns.page TO client;
ALTER TABLE towns.page ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON towns.page USING (owner = current_user);
-- as: client
SELECT id FROM towns.page ORDER BY id;
--= 3
--= 5
SELECT count(*), sum(likes) FROM towns.page;
--= 2|0
UPDATE towns.page SET likes = likes + 1;
SELECT likes FROM towns.page WHERE id = 1;
-- An error of a condition must not tell of rows that the role does not see.
SELECT id FROM towns.page WHERE 1 / (CASE owner WHEN 'victim' THEN 0 ELSE 1 END) = 1 ORDER BY id;
--= 3
--= 5
-- as: victim
SELECT id, likes FROM towns.page ORDER BY id;
--= 1|0
--= 2|0
--= 3|1
--= 4|0
--= 5|1
DROP SCHEMA towns CASCADE;
