-- as: abelian
-- ALTER EXTENSION UPDATE of a node whose tables were placed before there were rules; and a catalogue of such a version, given to a new node.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
DROP EXTENSION abelian_cluster, abelian;
CREATE EXTENSION abelian VERSION '0.5.0';
SET abelian.placement_version = 1000;
SELECT abelian.add_node('127.0.0.1', 1), abelian.add_node('127.0.0.1', 2);
CREATE TABLE shop (id int PRIMARY KEY, note text);
CREATE TABLE sale (shop int REFERENCES shop, id int, PRIMARY KEY (shop, id));
CREATE TABLE currency (code text PRIMARY KEY);
SELECT create_distributed_table('shop', 'id'), create_distributed_table('sale', 'shop', 'shop'), create_reference_table('currency');
-- this library with the objects of that version
INSERT INTO shop VALUES (1), (2), (3);
SELECT json_array_length(abelian.analyze('SELECT * FROM shop JOIN sale ON shop.id = sale.shop')), abelian.analyze('SELECT * FROM shop JOIN sale ON shop.id = sale.shop')->0->'merge'->>'mode';
CREATE TEMP TABLE saved AS SELECT abelian.catalog() AS catalog;
ALTER EXTENSION abelian UPDATE;
-- what a cluster needs became an extension of its own meanwhile
CREATE EXTENSION abelian_cluster;
SELECT * FROM abelian.preflight() WHERE problem LIKE '%no extension%';
CREATE EXTENSION abelian_cluster VERSION 'unpackaged';
ALTER EXTENSION abelian_cluster UPDATE;
SELECT * FROM abelian.distributed_tables ORDER BY relation::text;
SELECT relation, method, column_name, columns FROM abelian.placement ORDER BY relation::text;
SELECT k, abelian.node_of('shop', k::text), abelian.partition_of('sale', k::text) FROM generate_series(1, 4) k;
-- which node this is, the next change tells
RESET abelian.placement_version;
INSERT INTO shop VALUES (4), (5), (6);
SET abelian.placement_version = 1000;
SET abelian.node_id = 1;
CREATE TABLE visit (shop int REFERENCES shop);
SELECT create_distributed_table('visit', 'shop', colocate_with => 'shop');
RESET abelian.placement_version;
INSERT INTO shop SELECT k FROM generate_series(7, 9) k WHERE abelian.node_of('shop', k::text) = 1;
INSERT INTO shop SELECT k FROM generate_series(7, 9) k WHERE abelian.node_of('shop', k::text) = 2;
TRUNCATE abelian.node, abelian.colocation, abelian.partition, abelian.placement, abelian.lookup_entry, abelian.procedure;
SELECT abelian.install_catalog(catalog) FROM saved;
SELECT relation, method, column_name, columns FROM abelian.placement ORDER BY relation::text;
SELECT method, rule FROM abelian.colocation;
