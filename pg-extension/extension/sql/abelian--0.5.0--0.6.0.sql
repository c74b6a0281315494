-- What version 0.6.0 adds. Each subject has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== who may call what (docs/security.md) ==========================================================
-- ==== end of who may call what ======================================================================
-- ==== placement =====================================================================================
-- ==== end of placement ==============================================================================
-- ==== objects and slices ============================================================================
CREATE FUNCTION join_values("table" regclass) RETURNS bigint LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'abelian_join_values';
COMMENT ON FUNCTION join_values(regclass) IS 'takes what is in slices back into the rows of a table, for its owner; gives the number of rows that were rewritten';

-- From now on a table whose updates are published has no slices; what older versions have split there is joined.
SELECT pg_catalog.count(abelian.join_values(s.relation)) AS joined
FROM (SELECT DISTINCT relation FROM abelian.slice) s JOIN pg_catalog.pg_class c ON c.oid = s.relation
WHERE c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubupdate);

-- ==== end of objects and slices =====================================================================
-- ==== statement analysis ============================================================================
-- ==== end of statement analysis =====================================================================
-- ==== dumps of one node (docs/guide/backup.md) ======================================================
-- pg_dump leaves out the tables of the placement: restored, they would make a second node of the same identity. It takes this copy, which
-- has no effect until somebody passes it to abelian.install_catalog().
CREATE TABLE abelian.catalog_for_dumps (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  catalog json NOT NULL,
  written_at timestamptz NOT NULL
);
SELECT pg_catalog.pg_extension_config_dump('abelian.catalog_for_dumps', '');
GRANT SELECT ON abelian.catalog_for_dumps TO PUBLIC;
COMMENT ON TABLE abelian.catalog_for_dumps IS 'placement, procedures and nodes as pg_dump takes them; without effect';

CREATE FUNCTION abelian.copy_catalog() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO abelian.catalog_for_dumps (catalog, written_at) VALUES (abelian.catalog(), clock_timestamp())
  ON CONFLICT (singleton) DO UPDATE SET catalog = excluded.catalog, written_at = excluded.written_at;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION abelian.copy_catalog() FROM PUBLIC;
-- Every change of the placement, of procedures and of nodes makes a new version; at its end all of it is there.
CREATE CONSTRAINT TRIGGER copy_catalog AFTER UPDATE ON abelian.cluster DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION abelian.copy_catalog();
INSERT INTO abelian.catalog_for_dumps (catalog, written_at)
SELECT abelian.catalog(), clock_timestamp()
 WHERE EXISTS (SELECT FROM abelian.node) OR EXISTS (SELECT FROM abelian.placement) OR EXISTS (SELECT FROM abelian.procedure);

-- As before, and whether the database is a restored dump that has not become a node.
CREATE OR REPLACE FUNCTION abelian.preflight(OUT problem text, OUT hint text) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'max_prepared_transactions is 0: transactions over several nodes cannot commit',
         'Set max_prepared_transactions to at least max_connections and restart the node.'
   WHERE current_setting('max_prepared_transactions')::integer = 0
  UNION ALL
  SELECT 'the library abelian is not preloaded', 'Add abelian to shared_preload_libraries and restart the node.'
   WHERE NOT 'abelian' = ANY (regexp_split_to_array(current_setting('shared_preload_libraries'), '[ ,"]+'))
  UNION ALL
  SELECT format('%s is off: a crash may lose committed transactions', name), format('Set %s to on.', name)
    FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
  UNION ALL
  SELECT format('extension abelian has version %s, its files have %s', extversion, default_version), 'ALTER EXTENSION abelian UPDATE'
    FROM pg_extension JOIN pg_available_extensions ON name = extname
   WHERE extname = 'abelian' AND extversion IS DISTINCT FROM default_version
  UNION ALL
  SELECT 'this database was restored from a dump of one node, and has no placement, procedures and nodes',
         'To make it that node again: SELECT abelian.install_catalog(catalog) FROM abelian.catalog_for_dumps, or the abelian.catalog() of '
         'another node. Else: DELETE FROM abelian.catalog_for_dumps.'
    FROM abelian.catalog_for_dumps c
   WHERE json_array_length(c.catalog->'nodes') + json_array_length(c.catalog->'tables') > 0
     AND NOT EXISTS (SELECT FROM abelian.node) AND NOT EXISTS (SELECT FROM abelian.placement)
$$;
-- ==== end of dumps of one node ======================================================================
