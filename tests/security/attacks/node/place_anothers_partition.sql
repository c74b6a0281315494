-- A partitioned table is placed with its partitions, so all of them must be the caller's. Nobody adds or takes one on one node alone.
-- as: abelian
GRANT USAGE, CREATE ON SCHEMA strangers TO friend, victim;
CREATE TABLE strangers.log (id int, note text) PARTITION BY RANGE (id);
CREATE TABLE strangers.log_1 PARTITION OF strangers.log FOR VALUES FROM (0) TO (10);
CREATE TABLE strangers.other (id int, note text);
ALTER TABLE strangers.log OWNER TO friend;
ALTER TABLE strangers.log_1 OWNER TO victim;
ALTER TABLE strangers.other OWNER TO victim;
-- as: friend
SET abelian.placement_version = 2147483647;
SELECT create_distributed_table('strangers.log', 'id');
--! 42501
SELECT create_reference_table('strangers.log');
--! 42501
-- as: abelian
SET abelian.placement_version = 2147483647;
SELECT create_distributed_table('strangers.log', 'id');
-- as: friend
SET abelian.placement_version = 2147483647;
SELECT undistribute_table('strangers.log');
--! 42501
ALTER TABLE strangers.log ATTACH PARTITION strangers.other FOR VALUES FROM (10) TO (20);
--! 42501
RESET abelian.placement_version;
CREATE TABLE strangers.log_2 PARTITION OF strangers.log FOR VALUES FROM (20) TO (30);
--! 55000
ALTER TABLE strangers.log DETACH PARTITION strangers.log_1;
--! 55000
DROP TABLE strangers.log;
--! 55000
SELECT abelian.placement_change_begins();
--! 42501
SELECT abelian.place_partition('strangers.other', p) FROM abelian.placement p LIMIT 1;
--! 42501
-- as: victim
DROP TABLE strangers.log_1;
--! 55000
-- as: abelian
SELECT relation, method FROM abelian.placement ORDER BY relation::text;
--= strangers.log|hash
--= strangers.log_1|hash
--= victims.orders|hash
