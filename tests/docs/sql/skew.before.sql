CREATE SCHEMA skew;
SET search_path = skew;
CREATE TABLE sale (shop_id bigint, sale_id bigint, PRIMARY KEY (shop_id, sale_id));
SELECT create_distributed_table('sale', 'shop_id', colocate_with => 'none', partition_count => 6);
INSERT INTO sale SELECT i % 20, i FROM generate_series(1, 200) i;
INSERT INTO sale SELECT 7, i FROM generate_series(201, 300) i;
\set table sale
\set key shop_id
