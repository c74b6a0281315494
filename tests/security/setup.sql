-- What an attack finds on a node: a cluster of two nodes by its catalogue, and a victim's tables, of which nothing was granted to anybody.
CREATE EXTENSION abelian;
CREATE EXTENSION abelian_cluster;
SET abelian.placement_version = 2147483647;
SELECT abelian.add_node('127.0.0.1', 1), abelian.add_node('127.0.0.1', 2);
CREATE SCHEMA victims AUTHORIZATION victim;
GRANT USAGE ON SCHEMA victims TO PUBLIC;
CREATE SCHEMA strangers AUTHORIZATION stranger;
CREATE SCHEMA clients AUTHORIZATION client;
GRANT USAGE ON SCHEMA clients TO stranger, router;
SET ROLE victim;
SET search_path = victims;
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, tags abelian.set, title text);
INSERT INTO page VALUES (1, 41, '{secret}'::text[], 'hidden'), (2, 1, '{}'::text[], 'hidden, too');
CREATE TABLE account (id int PRIMARY KEY, balance abelian.counter);
INSERT INTO account SELECT i, 0 FROM generate_series(1, 20) i;
SELECT create_distributed_table('account', 'id') WHERE false;
CREATE SEQUENCE number;
CREATE PROCEDURE pay(account_id int, amount int) LANGUAGE plpgsql AS $$ BEGIN UPDATE victims.account SET balance = balance + amount WHERE id = account_id; END $$;
REVOKE ALL ON PROCEDURE pay FROM PUBLIC;
CREATE TABLE orders (id int PRIMARY KEY, total int);
SELECT create_distributed_table('orders', 'id');
CREATE PROCEDURE order_more(order_id int) LANGUAGE sql AS $$ UPDATE victims.orders SET total = total + 1 WHERE id = order_id $$;
SELECT create_distributed_procedure('order_more(int)', 'order_id', 'orders');
-- Half of a counter is in slices.
SET abelian.split = always;
UPDATE page SET likes = likes + 1 WHERE id = 1;
