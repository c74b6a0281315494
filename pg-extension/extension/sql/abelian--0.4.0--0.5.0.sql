-- What version 0.5.0 adds. Each room has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== shared independent transactions (docs/protocols/independent.md) ===============================
-- As independent_run, for an intent of several calls: each statement that follows is one of them, to its deferred triggers.
CREATE FUNCTION abelian.independent_run_calls(id text, at bigint, self integer, nodes integer[], intent text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_run_calls';

-- For whoever runs such an intent again: every statement from here on, to the end of the transaction, is a call.
CREATE FUNCTION abelian.tell_calls(self integer, nodes integer[]) RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT set_config('abelian.participants', self || ':' || array_to_string(nodes, ',') || '*', true)
$$;

-- As before, but that the failure of a fragment of several calls names those that failed, each in the form in which the intent has them: only
-- that of this procedure has been dealt with.
CREATE OR REPLACE FUNCTION abelian.stop_procedure(signature text, reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  call text := E'\n--abelian procedure ' || signature || E'\n';
BEGIN
  PERFORM abelian.begin_placement_change();
  UPDATE abelian.procedure p SET stopped = reason WHERE p.signature = stop_procedure.signature;
  UPDATE abelian.independent_record r SET failure = replace(r.failure, call, E'\n--abelian stopped ' || signature || E'\n')
   WHERE starts_with(r.failure, E'\n--abelian ') AND strpos(r.failure, call) > 0;
  UPDATE abelian.independent_record r SET failure = r.failure || ' (the procedure was stopped)'
   WHERE NOT starts_with(r.failure, E'\n--abelian ') AND r.failure NOT LIKE '%(the procedure was stopped)' AND strpos(r.intent, call) > 0;
END $$;
-- ==== end of shared independent transactions ========================================================
