-- as: abelian
-- Who wants the types alone gets them alone: no roles, no event triggers, no names in pg_catalog, no catalogue of a cluster.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP EXTENSION abelian_cluster, abelian;
CREATE FUNCTION members(extension name) RETURNS TABLE (class regclass, object oid) LANGUAGE sql AS $$
  SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
   WHERE e.extname = $1 $$;
CREATE TEMP TABLE roles_before AS SELECT rolname FROM pg_roles;
CREATE EXTENSION abelian;
SELECT rolname FROM pg_roles EXCEPT SELECT rolname FROM roles_before;
SELECT evtname FROM pg_event_trigger;
SELECT p.oid::regprocedure FROM pg_proc p JOIN members('abelian') m ON m.object = p.oid WHERE p.pronamespace <> 'abelian'::regnamespace;
SELECT count(*) > 200 FROM members('abelian') WHERE class = 'pg_proc'::regclass;
SELECT object::regclass FROM members('abelian') WHERE class = 'pg_class'::regclass ORDER BY object::regclass::text;
-- no right was given to a role of clusters
SELECT p.oid::regprocedure FROM pg_proc p JOIN members('abelian') m ON m.object = p.oid, aclexplode(p.proacl) a WHERE a.grantee::regrole::text LIKE 'abelian\_%';
-- The types work: operations, slices, bounds, collections, types over aggregates, DDL, drops.
SET abelian.split = always;
CREATE TABLE item (id int PRIMARY KEY, likes abelian.counter DEFAULT 0, high abelian.max, price abelian.decimal_counter DEFAULT 1, tags abelian.set DEFAULT '{}',
  stock abelian.bounded_counter(0) DEFAULT 10);
INSERT INTO item (id) SELECT generate_series(1, 5);
UPDATE item SET likes = likes + id, high = greatest(high, id * 2), price = price + 0.5, tags = abelian.add(tags, 'a'), stock = stock - 3;
BEGIN;
UPDATE item SET likes = likes + 100 WHERE id = 1;
SAVEPOINT s;
UPDATE item SET likes = likes + 1000 WHERE id = 2;
ROLLBACK TO s;
PREPARE TRANSACTION 'of_types_alone';
COMMIT PREPARED 'of_types_alone';
SELECT id, likes, high, price, tags, stock FROM item ORDER BY id;
UPDATE item SET stock = stock - 8 WHERE id = 1;
SELECT count(*) > 0 FROM abelian.slice;
CREATE AGGREGATE product_of(numeric) (SFUNC = numeric_mul, STYPE = numeric, COMBINEFUNC = numeric_mul, INITCOND = '1', PARALLEL = SAFE);
SELECT abelian.create_type('public.product', 'public.product_of(numeric)');
ALTER TABLE item ADD factor product;
ALTER TABLE item DROP COLUMN high, ALTER price TYPE numeric;
ALTER TABLE item RENAME likes TO liked;
SELECT sum(liked), sum(price) FROM item;
CREATE FUNCTION like_item(int) RETURNS void LANGUAGE sql AS 'UPDATE item SET liked = liked + 1 WHERE id = $1';
SELECT like_item(3);
SELECT liked FROM item WHERE id = 3;
SELECT count(*) FROM abelian.locks;
SELECT count(*) FROM abelian.waits;
SELECT count(*) FROM abelian.split_objects WHERE slices > 0;
DROP TABLE item;
SELECT count(*) FROM abelian.slice;
-- What only nodes of a cluster know is not there, and says so.
SELECT create_distributed_table('t', 'id');
-- It comes, and goes, by itself.
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter DEFAULT 0);
CREATE EXTENSION abelian_cluster;
SET abelian.placement_version = 2147483647;
SELECT abelian.add_node('127.0.0.1', 1);
SELECT create_distributed_table('t', 'id');
RESET abelian.placement_version;
INSERT INTO t (id) VALUES (1);
SET abelian.placement_version = 2147483647;
SELECT undistribute_table('t');
RESET abelian.placement_version;
DROP EXTENSION abelian_cluster;
UPDATE t SET c = c + 1;
SELECT * FROM t;
DROP TABLE t;
DROP AGGREGATE product_of(numeric) CASCADE;
DROP EXTENSION abelian;
-- A schema of somebody else's is not taken: what lies in it would be found in the place of PostgreSQL's own.
DROP SCHEMA IF EXISTS abelian;
CREATE SCHEMA abelian AUTHORIZATION app;
CREATE EXTENSION abelian;
ALTER SCHEMA abelian OWNER TO abelian;
CREATE EXTENSION abelian;
