-- as: abelian
-- Where another extension has a name in pg_catalog, ours stays in the schema abelian, and does the same there; so does one that was put there, and all in a schema of their own.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP EXTENSION abelian_cluster;
CREATE FUNCTION pg_catalog.create_reference_table(regclass) RETURNS text LANGUAGE sql AS $$ SELECT 'another' $$;
ALTER EXTENSION plpgsql ADD FUNCTION pg_catalog.create_reference_table(regclass);
CREATE EXTENSION abelian_cluster;
SELECT p.oid::regprocedure, n.nspname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE p.proname ~ '^(create_(distributed|reference|lookup)|undistribute|drop_lookup)' ORDER BY n.nspname, p.proname;
CREATE TABLE currency (code text PRIMARY KEY);
SELECT create_reference_table('currency');
SET abelian.placement_version = 2147483647;
SELECT abelian.add_node('127.0.0.1', 1);
SELECT abelian.create_reference_table('currency');
SELECT relation, method FROM abelian.placement;
SELECT name, abelian.analyze(format('SELECT %s(''currency'')', name))->0->>'kind'
  FROM unnest('{create_reference_table,abelian.create_reference_table,undistribute_table,pg_catalog.undistribute_table}'::text[]) name;
ALTER FUNCTION pg_catalog.undistribute_table(regclass) SET SCHEMA abelian;
SELECT abelian.analyze('SELECT abelian.undistribute_table(''currency'')')->0->>'kind';
SET search_path = public, abelian;
SELECT undistribute_table('currency');
SELECT count(*) FROM abelian.placement;
-- All of them by one call: into a schema, where others than the owner find them, too; as long as it is there, so is what a new extension of a restored dump has.
RESET search_path;
CREATE VIEW names AS SELECT n.nspname, string_agg(p.proname, ' ' ORDER BY p.proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE p.proname ~ '^(create_(distributed|reference|lookup)|undistribute|drop_lookup)' GROUP BY n.nspname ORDER BY n.nspname;
SELECT abelian.names_in_catalog(false);
SELECT abelian.names_in_catalog(false);
SELECT * FROM names;
SELECT name, abelian.analyze(format('SELECT %s(''currency'')', name))->0->>'kind'
  FROM unnest('{create_reference_table,abelian_names.create_reference_table}'::text[]) name;
SELECT abelian.analyze('SELECT abelian.names_in_catalog(true)')->0->>'kind';
SELECT create_distributed_table('currency', 'code');
GRANT CREATE ON SCHEMA public TO app;
SET ROLE app;
SET search_path = public, abelian_names;
CREATE TABLE country (code text PRIMARY KEY);
SELECT create_distributed_table('country', 'code');
SELECT undistribute_table('country');
SELECT abelian.names_in_catalog(true);
RESET ROLE;
RESET search_path;
SELECT abelian.analyze('SELECT abelian_names.create_distributed_table(''country'', ''code'')')->0->>'kind';
DROP SCHEMA abelian_names;
DROP EXTENSION abelian_cluster;
CREATE EXTENSION abelian_cluster;
SELECT * FROM names;
SELECT abelian.names_in_catalog(true);
SELECT * FROM names;
SELECT to_regnamespace('abelian_names');
-- Nor is that schema taken from somebody else, who could drop it with the extension.
CREATE SCHEMA abelian_names AUTHORIZATION app;
SELECT abelian.names_in_catalog(false);
DROP EXTENSION abelian_cluster;
CREATE EXTENSION abelian_cluster;
DROP SCHEMA abelian_names;
CREATE EXTENSION abelian_cluster;
DROP VIEW names;
DROP EXTENSION abelian_cluster;
ALTER EXTENSION plpgsql DROP FUNCTION pg_catalog.create_reference_table(regclass);
DROP FUNCTION pg_catalog.create_reference_table(regclass);
SELECT count(*) FROM pg_proc WHERE proname ~ '^(create_(distributed|reference|lookup)|undistribute|drop_lookup)';
