-- as: abelian
-- Placement functions: what they record, what they refuse, and what DDL may no longer do to a placed table.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SELECT create_distributed_table('pg_class', 'oid');
CREATE TABLE early (id int);
SELECT create_distributed_table('early', 'id');
SELECT abelian.add_node('127.0.0.1', 1), abelian.add_node('127.0.0.1', 2);
SET abelian.placement_version = 1000;
SELECT abelian.add_node('127.0.0.1', 3);
CREATE TABLE warehouse (w_id int PRIMARY KEY, w_ytd numeric);
CREATE TABLE district (d_w_id int REFERENCES warehouse, d_id int, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE item (i_id int PRIMARY KEY);
CREATE TABLE plain (a int PRIMARY KEY, b int, c text COLLATE "C", d point, e numeric(6,0), f interval);
-- the child first: its parent has no place yet
SELECT create_distributed_table('district', 'd_w_id');
SELECT create_distributed_table('warehouse', 'w_id');
SELECT create_distributed_table('district', 'd_w_id', colocate_with => 'warehouse');
SELECT create_reference_table('item');
SELECT create_distributed_table('warehouse', 'w_id');
SELECT create_distributed_table('plain', 'b');
SELECT create_distributed_table('plain', 'nope');
ALTER TABLE plain DROP CONSTRAINT plain_pkey;
SELECT create_distributed_table('plain', 'd');
SELECT create_distributed_table('plain', 'f');
SELECT create_distributed_table('plain', 'c', colocate_with => 'warehouse');
SELECT create_distributed_table('plain', 'c', colocate_with => 'early');
SELECT create_distributed_table('plain', 'e', colocate_with => 'none', partition_count => 7);
-- a table with rows refers to it: in no order can both be placed
CREATE TABLE shop (id int PRIMARY KEY);
CREATE TABLE sale (shop int REFERENCES shop, id int, PRIMARY KEY (shop, id));
INSERT INTO shop VALUES (1);
INSERT INTO sale VALUES (1, 1);
DO $$
DECLARE
  named text;
  hint text;
BEGIN
  FOR named IN VALUES ('shop'), ('sale') LOOP
    BEGIN
      PERFORM create_distributed_table(named::regclass, CASE named WHEN 'shop' THEN 'id' ELSE 'shop' END);
    EXCEPTION WHEN feature_not_supported THEN
      GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
      RAISE NOTICE '%: %', named, hint;
    END;
  END LOOP;
END $$;
DROP TABLE sale, shop;
SELECT jsonb_pretty(abelian.catalog()::jsonb);
INSERT INTO early VALUES (1);
SELECT create_distributed_table('early', 'id');
SELECT create_reference_table('early');
-- the rows are a router's to move: who does not, cannot commit
SET abelian.node_id = 1;
SELECT create_reference_table('early');
RESET abelian.node_id;
CREATE VIEW seen AS SELECT 1 AS x;
SELECT create_distributed_table('seen', 'x');
-- a partitioned table has its partitions with it
CREATE TABLE parts (k int) PARTITION BY LIST (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
SELECT create_distributed_table('parts_1', 'k');
SELECT create_reference_table('parts');
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
SELECT relation, method FROM abelian.placement ORDER BY relation::text;
SELECT undistribute_table('parts_1');
SELECT undistribute_table('parts');
SELECT count(*) FROM abelian.placement;
-- one connection that is no router
SET abelian.placement_version = 0;
SELECT create_reference_table('early');
SET abelian.placement_version = 1000;
-- DDL on placed tables
ALTER TABLE district DROP COLUMN d_w_id CASCADE;
ALTER TABLE district RENAME COLUMN d_w_id TO other;
SELECT column_name, columns FROM abelian.placement WHERE relation = 'district'::regclass;
ALTER TABLE district RENAME COLUMN other TO d_w_id;
ALTER TABLE warehouse ALTER COLUMN w_id TYPE text;
ALTER TABLE warehouse ALTER COLUMN w_id TYPE bigint;
CREATE UNIQUE INDEX ON district (d_id);
CREATE UNIQUE INDEX ON district (d_id, d_w_id);
CREATE INDEX ON district (d_id);
ALTER TABLE plain ADD FOREIGN KEY (e) REFERENCES item;
ALTER TABLE plain ADD FOREIGN KEY (a) REFERENCES warehouse;
ALTER TABLE early ADD FOREIGN KEY (id) REFERENCES warehouse NOT VALID;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER watch AFTER INSERT ON warehouse FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE RULE watch AS ON INSERT TO warehouse DO ALSO SELECT 1;
CREATE TABLE heir () INHERITS (warehouse);
CREATE POLICY ours ON plain USING (a IN (SELECT w_id FROM warehouse));
CREATE POLICY ours ON plain USING (a > 0);
-- renaming a table changes what routers must know it by
CREATE TEMP TABLE version AS SELECT version FROM abelian.cluster;
ALTER TABLE item RENAME TO article;
SELECT version - (SELECT version FROM version) FROM abelian.cluster;
SELECT t ->> 'name' FROM json_array_elements(abelian.catalog() -> 'tables') t;
-- so does whatever changes the meaning of statements, temporary objects and new ones aside
UPDATE version SET version = (SELECT version FROM abelian.cluster);
CREATE TABLE fresh (a int);
CREATE INDEX ON fresh (a);
CREATE TEMP TABLE passing (a int);
ALTER TABLE passing ADD b int;
DROP TABLE passing;
SELECT version - (SELECT version FROM version) FROM abelian.cluster;
ALTER TABLE fresh ADD b int;
CREATE OR REPLACE VIEW seen AS SELECT 2 AS x;
DROP TABLE fresh;
SELECT version - (SELECT version FROM version) FROM abelian.cluster;
SELECT undistribute_table('warehouse');
SELECT undistribute_table('article');
SELECT undistribute_table('article');
SELECT abelian.remove_node(3);
SELECT abelian.remove_node(9);
DROP TABLE warehouse, district, plain CASCADE;
SELECT abelian.remove_node(1);
SELECT abelian.remove_node(3);
SELECT abelian.catalog();
-- a new node gets the catalogue of the others
CREATE TABLE orders (o_id bigint);
SELECT create_distributed_table('orders', 'o_id', partition_count => 4);
CREATE TEMP TABLE copied AS SELECT abelian.catalog() AS catalog;
DROP TABLE orders;
DELETE FROM abelian.node;
CREATE TABLE orders (o_id bigint);
SELECT abelian.install_catalog(catalog) FROM copied;
SELECT abelian.catalog()::jsonb = catalog::jsonb FROM copied;
SELECT abelian.install_catalog(catalog) FROM copied;
-- an ordinary user places her own tables only, with sequences of her own; what counts is the role that is set
CREATE SEQUENCE of_others;
-- indexes that take other keys for equal, which may lie on different nodes
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN word AS varchar(20);
CREATE TABLE entry (t text NOT NULL, v word, n int, PRIMARY KEY (t, n));
SELECT create_distributed_table('entry', 't');
CREATE UNIQUE INDEX ON entry (t COLLATE caseless);
CREATE UNIQUE INDEX ON entry (t bpchar_ops);
CREATE UNIQUE INDEX CONCURRENTLY ON entry (n, t COLLATE caseless);
CREATE UNIQUE INDEX CONCURRENTLY ON entry (n, t bpchar_ops);
ALTER TABLE entry ADD EXCLUDE USING btree (t COLLATE caseless WITH =);
ALTER TABLE entry ADD EXCLUDE USING hash (t WITH =);
CREATE UNIQUE INDEX ON entry (n, t text_pattern_ops);
CREATE UNIQUE INDEX ON entry (t COLLATE caseless, t);
CREATE UNIQUE INDEX CONCURRENTLY ON entry (t text_pattern_ops);
SELECT undistribute_table('entry');
DROP TABLE entry;
CREATE TABLE entry (v word);
CREATE UNIQUE INDEX ON entry (v COLLATE caseless);
SELECT create_distributed_table('entry', 'v');
DROP INDEX entry_v_idx;
CREATE UNIQUE INDEX ON entry (v);
SELECT create_distributed_table('entry', 'v');
DROP TABLE entry;
CREATE ROLE stranger_to_placement;
GRANT USAGE, CREATE ON SCHEMA public TO stranger_to_placement;
SET ROLE stranger_to_placement;
CREATE TABLE mine (k uuid);
CREATE TABLE counted (k int DEFAULT nextval('of_others'));
SELECT create_distributed_table('mine', 'k');
SELECT create_distributed_table('counted', 'k');
SELECT create_reference_table('early');
RESET ROLE;
SELECT seqincrement FROM pg_sequence WHERE seqrelid = 'of_others'::regclass;
-- a setting makes nobody a router
SET SESSION AUTHORIZATION stranger_to_placement;
SET abelian.placement_version = 2147483647;
SELECT create_distributed_table('mine', 'k');
SELECT undistribute_table('mine');
DROP TABLE mine;
ALTER TABLE mine ADD COLUMN more int;
SELECT abelian.add_node('127.0.0.1', 4);
SELECT abelian.forget_table('orders'::regclass);
INSERT INTO abelian.placement VALUES ('orders', 'reference');
RESET SESSION AUTHORIZATION;
DROP EXTENSION abelian_cluster, abelian;
DROP OWNED BY stranger_to_placement;
DROP ROLE stranger_to_placement;
