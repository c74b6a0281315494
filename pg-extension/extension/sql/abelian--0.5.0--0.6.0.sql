-- What version 0.6.0 adds. Each subject has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== who may call what (docs/security.md) ==========================================================
-- ==== end of who may call what ======================================================================
-- ==== placement =====================================================================================
-- ==== end of placement ==============================================================================
-- ==== objects and slices ============================================================================
-- A copy: the same value, of which nothing is an object of a column any more, at whatever depth.
CREATE FUNCTION abelian.detached(anyelement) RETURNS anyelement LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_detached';
COMMENT ON FUNCTION abelian.detached(anyelement) IS 'the same value, which does not change with the columns that it was read from';
-- ==== end of objects and slices =====================================================================
-- ==== statement analysis ============================================================================
-- ==== end of statement analysis =====================================================================
