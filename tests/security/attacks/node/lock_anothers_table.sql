-- A command on one's own table joins what is split in published ones, but locks nothing of others', who get no updates there.
-- as: abelian
CREATE TABLE victims.loose (n abelian.counter);
ALTER TABLE victims.loose OWNER TO victim;
INSERT INTO victims.loose VALUES (1);
SET abelian.split = always;
UPDATE victims.loose SET n = n + 1;
CREATE PUBLICATION everything FOR TABLE victims.loose;
-- as: stranger
CREATE TABLE strangers.mine (id int PRIMARY KEY);
BEGIN;
ALTER TABLE strangers.mine ADD COLUMN more int;
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'victims.loose'::regclass;
--= 0
ROLLBACK;
SELECT abelian.join_values('victims.loose');
--! 42501
BEGIN;
LOCK TABLE victims.loose IN ACCESS SHARE MODE;
--! 42501
ROLLBACK;
