-- What version 0.3.0 adds. Each room has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== types =========================================================================================
-- Operations on elements: functions that lock what they are about, see docs/design/elements.md.
CREATE OR REPLACE FUNCTION add(set, text) RETURNS set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add';
CREATE OR REPLACE FUNCTION add(multiset, text, bigint) RETURNS multiset LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add';
CREATE OR REPLACE FUNCTION add(scored_set, text, numeric) RETURNS scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add';
CREATE OR REPLACE FUNCTION put(scored_set, text, numeric) RETURNS scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put';
CREATE OR REPLACE FUNCTION remove(set, text) RETURNS set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';
CREATE OR REPLACE FUNCTION remove(multiset, text, bigint DEFAULT 1) RETURNS multiset LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';
CREATE OR REPLACE FUNCTION remove(scored_set, text) RETURNS scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';

SECURITY LABEL FOR abelian ON TYPE set IS 'abelian.set_of(pg_catalog.text); from abelian.set_state_of(pg_catalog._text); elements set';
SECURITY LABEL FOR abelian ON TYPE multiset IS 'abelian.multiset_of(pg_catalog.text, pg_catalog.int8); from abelian.multiset_state_of(pg_catalog.jsonb); elements multiset';
SECURITY LABEL FOR abelian ON TYPE scored_set IS 'abelian.scored_set_of(pg_catalog.text, pg_catalog."numeric"); from abelian.scored_set_state_of(pg_catalog.jsonb); elements scored_set';
DO $$
DECLARE
  operation text;
BEGIN
  FOREACH operation IN ARRAY ARRAY['add(abelian.set, text)', 'add(abelian.multiset, text)', 'add(abelian.multiset, text, bigint)', 'add(abelian.scored_set, text, numeric)',
      'put(abelian.scored_set, text, numeric)', 'remove(abelian.set, text)', 'remove(abelian.multiset, text, bigint)', 'remove(abelian.scored_set, text)'] LOOP
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.%s IS %L', operation, 'operation on elements');
  END LOOP;
END $$;
-- ==== end of types ==================================================================================

-- ==== locks =========================================================================================
-- ==== end of locks ==================================================================================

-- ==== distributed procedures ========================================================================
-- ==== end of distributed procedures =================================================================

-- ==== commit classes ================================================================================
-- ==== end of commit classes =========================================================================
