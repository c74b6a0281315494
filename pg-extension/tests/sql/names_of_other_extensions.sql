-- as: abelian
-- Where another extension has a name in pg_catalog, ours stays in the schema abelian, and does the same there; so does one that was put there.
\pset format unaligned
\pset tuples_only on
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
DROP EXTENSION abelian_cluster;
ALTER EXTENSION plpgsql DROP FUNCTION pg_catalog.create_reference_table(regclass);
DROP FUNCTION pg_catalog.create_reference_table(regclass);
SELECT count(*) FROM pg_proc WHERE proname ~ '^(create_(distributed|reference|lookup)|undistribute|drop_lookup)';
