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
