-- Whoever owns a table, connected to one node of several, must not change what all nodes have in common.
-- as: victim
SET abelian.placement_version = 2147483647;
SET abelian.node_id = 2;
CREATE TABLE victims.mine (id int PRIMARY KEY);
SELECT create_distributed_table('victims.mine', 'id');
--! 55000
SELECT create_reference_table('victims.mine');
--! 55000
SELECT undistribute_table('victims.orders');
--! 55000
SELECT create_distributed_procedure('victims.pay(int,int)', 'account_id', 'victims.orders');
--! 55000
SELECT undistribute_procedure('victims.order_more(int)');
--! 55000
SELECT abelian.place_table('victims.mine', 'hash', 'id', NULL, true, 32);
--! 55000
SELECT abelian.unplace_table('victims.orders');
--! 55000
SELECT abelian.remove_procedure('victims.order_more(int)'), abelian.place_procedure('victims.pay(int,int)', '{1}', 'victims.orders', 'first', 'independent', 'independent', true);
--! 55000
DROP TABLE victims.orders;
--! 55000
ALTER TABLE victims.orders ADD COLUMN more int;
--! 55000
ALTER TABLE victims.orders RENAME TO more_orders;
--! 55000
DROP PROCEDURE victims.order_more;
--! 55000
CREATE OR REPLACE PROCEDURE victims.order_more(order_id int) LANGUAGE sql AS $$ UPDATE victims.orders SET total = total + 100 WHERE id = order_id $$;
--! 55000
DO $$ BEGIN CREATE OR REPLACE PROCEDURE victims.order_more(order_id int) LANGUAGE sql AS 'SELECT 1'; END $$;
--! 0A000
RESET abelian.node_id;
DO $$ BEGIN CREATE OR REPLACE PROCEDURE victims.order_more(order_id int) LANGUAGE sql AS 'SELECT 1'; END $$;
--! 55000
SELECT abelian.reclassify('victims.order_more(int)', 'independent');
--! 42501
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000001', 1, '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.add_node('x', 3);
--! 42501
SELECT abelian.stop_procedure('victims.order_more(int)', 'why not');
--! 42501
SELECT abelian.install_catalog('{}');
--! 42501
UPDATE abelian.cluster SET version = 9;
--! 42501
INSERT INTO abelian.placement VALUES ('victims.mine', 'reference');
--! 42501
-- as: abelian
SELECT count(*) FROM abelian.placement;
--= 1
SELECT signature, class FROM abelian.procedure;
--= victims.order_more(integer)|coordinated
