-- What version 0.4.0 adds. Each room has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== broken promises (docs/protocols/independent.md) ================================================
-- Routers look for failures every second; there are none as a rule.
CREATE INDEX independent_record_failed ON abelian.independent_record (at) WHERE failure IS NOT NULL;

-- For guards: a procedure that broke its promise is not called any more, until it is declared again. Its failures have then been dealt with.
CREATE OR REPLACE FUNCTION abelian.stop_procedure(signature text, reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.begin_placement_change();
  UPDATE abelian.procedure p SET stopped = reason WHERE p.signature = stop_procedure.signature;
  UPDATE abelian.independent_record r SET failure = r.failure || ' (the procedure was stopped)'
   WHERE r.failure NOT LIKE '%(the procedure was stopped)'
     AND strpos(r.intent, E'\n--abelian procedure ' || stop_procedure.signature || E'\n') > 0;
END $$;
-- ==== end of broken promises ========================================================================

-- ==== clocks of lanes (docs/protocols/independent.md) ================================================
-- What spans several nodes carries the greatest timestamp of one lane to the others.
CREATE FUNCTION abelian.independent_advance(at bigint) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_advance';
-- ==== end of clocks of lanes ========================================================================
