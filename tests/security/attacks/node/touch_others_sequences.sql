-- A table's default may count by a sequence of somebody else: placing the table must not change it. Nor may one place another's table.
-- as: abelian
DELETE FROM abelian.node WHERE node_id = 2 AND NOT EXISTS (SELECT FROM abelian.partition WHERE false);
--! 23503
SELECT undistribute_procedure('victims.order_more(int)') FROM set_config('abelian.placement_version', '2147483647', false);
SELECT undistribute_table('victims.orders');
SELECT abelian.remove_node(2);
-- Alone, a node needs no router.
-- as: stranger
CREATE TABLE strangers.numbered (id bigint DEFAULT nextval('victims.number'));
SELECT create_distributed_table('strangers.numbered', 'id');
--! 42501
CREATE TABLE strangers.mine (id bigint);
SELECT create_distributed_table('strangers.mine', 'id');
ALTER TABLE strangers.mine ALTER COLUMN id SET DEFAULT nextval('victims.number');
--! 42501
SELECT create_distributed_table('victims.account', 'id');
--! 42501
SELECT create_reference_table('victims.account');
--! 42501
SELECT abelian.place_table('victims.account', 'hash', 'id', NULL, true, 32);
--! 42501
SELECT create_distributed_procedure('victims.pay(int,int)', 'account_id', 'strangers.mine');
--! 42501
SELECT abelian.place_procedure('victims.pay(int,int)', '{1}', 'strangers.mine', 'first', 'independent', 'independent', true);
--! 42501
-- A claim is used up, and good for what was claimed.
SELECT abelian.claim('pg_class', 'strangers.mine'::regclass);
SELECT abelian.place_table('victims.account', 'hash', 'id', NULL, true, 32);
--! 42501
SELECT abelian.claim('pg_class', 'victims.account'::regclass);
SELECT abelian.place_table('victims.account', 'hash', 'id', NULL, true, 32);
--! 42501
SELECT abelian.is_claimed('pg_class', 'strangers.mine'::regclass);
--! 42501
-- as: abelian
SELECT seqincrement, seqstart FROM pg_sequence WHERE seqrelid = 'victims.number'::regclass;
--= 1|1
SELECT relation FROM abelian.placement;
--= strangers.mine
