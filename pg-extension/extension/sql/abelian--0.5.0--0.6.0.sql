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

-- A copy: the same value, of which nothing is an object of a column any more, at whatever depth.
CREATE FUNCTION abelian.detached(anyelement) RETURNS anyelement LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_detached';
COMMENT ON FUNCTION abelian.detached(anyelement) IS 'the same value, which does not change with the columns that it was read from';
-- What ANALYZE keeps are copies, too.
CREATE FUNCTION abelian.analyze_values(internal) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_analyze_values';
ALTER FUNCTION abelian.make_type(name, name, regprocedure, text, text) RENAME TO make_bare_type;
CREATE FUNCTION abelian.make_type(type_schema name, type_name name, over regprocedure, from_value text DEFAULT NULL, new_slice text DEFAULT NULL) RETURNS regtype
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $make$
DECLARE
  made regtype := abelian.make_bare_type(type_schema, type_name, over, from_value, new_slice);
BEGIN
  PERFORM abelian.have_analyzed(made);
  RETURN made;
END $make$;
REVOKE ALL ON FUNCTION abelian.make_type(name, name, regprocedure, text, text) FROM PUBLIC;
-- ALTER TYPE records anew what the type depends on, and knows nothing of its aggregate: that is recorded with the label.
CREATE FUNCTION abelian.have_analyzed(type regtype) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $have$
DECLARE
  set_label text := (SELECT label FROM pg_seclabel WHERE provider = 'abelian' AND classoid = 'pg_type'::regclass AND objoid = type);
BEGIN
  EXECUTE format('ALTER TYPE %s SET (ANALYZE = abelian.analyze_values)', type);
  IF set_label IS NOT NULL THEN
    EXECUTE format('SECURITY LABEL FOR abelian ON TYPE %s IS %L', type, set_label);
  END IF;
END $have$;
REVOKE ALL ON FUNCTION abelian.have_analyzed(regtype) FROM PUBLIC;
DO $$
DECLARE
  made regtype;
BEGIN
  FOR made IN SELECT unnest(ARRAY['abelian.counter', 'abelian.bounded_counter', 'abelian.decimal_counter']::regtype[])
              UNION SELECT objoid FROM pg_catalog.pg_seclabel WHERE provider OPERATOR(pg_catalog.=) 'abelian' AND classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
  LOOP
    BEGIN
      PERFORM abelian.have_analyzed(made);
    EXCEPTION WHEN insufficient_privilege THEN
      -- It is refused to run functions that ordinary users own, from now on; ANALYZE as well.
      RAISE WARNING 'type % is over an aggregate whose functions no superuser owns', made USING HINT = 'Have a superuser take them over by ALTER FUNCTION ... OWNER TO, and set the label of the type again.';
    END;
  END LOOP;
END $$;

-- Slices whose row is gone. The folding worker looks for those that it knows of.
CREATE FUNCTION abelian.collect_orphans("table" regclass DEFAULT NULL) RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_collect_orphans';
COMMENT ON FUNCTION abelian.collect_orphans(regclass) IS 'removes slices whose row is gone, of one table or of all, and tells how many; for owners of the table and superusers';
CREATE OR REPLACE VIEW abelian.statistics AS
    SELECT abelian.figure('in_place') AS in_place, abelian.figure('in_slices') AS in_slices,
           abelian.figure('slices_created') AS slices_created, abelian.figure('collisions') AS collisions,
           abelian.figure('folds') AS folds, abelian.figure('slices_folded') AS slices_folded,
           abelian.figure('waits') AS waits,
           pg_catalog.pg_relation_size('abelian.slice') AS slice_table_bytes,
           abelian.figure('orphans_collected') AS orphans_collected;
-- ==== end of objects and slices =====================================================================
-- ==== statement analysis ============================================================================
-- ==== end of statement analysis =====================================================================
