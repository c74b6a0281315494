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

-- ==== clocks of lanes (docs/protocols/independent.md) =========================================
-- What spans several nodes carries the greatest timestamp of one lane to the others.
CREATE FUNCTION abelian.independent_advance(at bigint) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_advance';
-- ==== end of clocks of lanes ========================================================================

-- ==== classes that owners choose (docs/design/procedures.md) ===========================================

-- As before, but that `class => 'coordinated'` is remembered as the owner's choice also where the analysis stores the same class: it rules
-- out committing in one round as well, which is found out with each call.
CREATE OR REPLACE FUNCTION abelian.place_procedure(procedure regprocedure, arguments integer[], colocated_with regclass, merge text, class text, analysed text, unsafe boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  described pg_proc;
  kind text;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_procedure(procedure::text);
  SELECT * INTO described FROM pg_proc p WHERE p.oid = procedure;
  IF described.prolang NOT IN (SELECT l.oid FROM pg_language l WHERE l.lanname IN ('sql', 'plpgsql')) THEN
    RAISE EXCEPTION '% is neither in SQL nor in PL/pgSQL', procedure USING ERRCODE = 'feature_not_supported';
  ELSIF described.prokind NOT IN ('f', 'p') OR described.provariadic <> 0 OR described.prorettype = 'trigger'::regtype THEN
    RAISE EXCEPTION '% cannot be distributed', procedure
      USING ERRCODE = 'wrong_object_type', HINT = 'Procedures and ordinary functions without VARIADIC arguments can.';
  ELSIF described.provolatile = 'i' THEN
    RAISE EXCEPTION '% is immutable: it reads no tables, so that every node can answer it', procedure
      USING ERRCODE = 'wrong_object_type', HINT = 'Call it as it is.';
  ELSIF described.prosecdef OR described.proconfig IS NOT NULL THEN
    RAISE EXCEPTION '% is SECURITY DEFINER or has settings of its own', procedure USING ERRCODE = 'feature_not_supported';
  ELSIF merge NOT IN ('first', 'sum', 'union') THEN
    RAISE EXCEPTION 'unknown rule "%" to merge results', merge
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The rules are first, sum and union.';
  END IF;
  SELECT g.key_type INTO kind FROM abelian.placement p JOIN abelian.colocation g USING (colocation_id) WHERE p.relation = colocated_with;
  IF kind IS NULL THEN
    RAISE EXCEPTION 'table % is not distributed', colocated_with
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Distribute it first.';
  END IF;
  IF class NOT IN ('analysed', 'independent', 'coordinated') THEN
    RAISE EXCEPTION 'unknown class "%"', class
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The classes are independent and coordinated.';
  ELSIF class = 'independent' AND analysed <> class AND NOT unsafe THEN
    RAISE EXCEPTION 'the analysis says that % is %, not %', procedure, analysed, class
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = format('SELECT abelian.explain_procedure(%L) says why; unsafe => true takes your word for it.', procedure);
  END IF;
  DELETE FROM abelian.procedure p WHERE p.signature = procedure::text;
  INSERT INTO abelian.procedure (signature, arguments, colocated_with, merge, class, declared)
  VALUES (procedure::text, arguments, colocated_with, merge, CASE class WHEN 'analysed' THEN analysed ELSE class END,
          CASE class WHEN 'analysed' THEN 'analysed' WHEN 'coordinated' THEN 'safer' WHEN analysed THEN 'analysed' ELSE 'unsafe' END);
END $$;
-- ==== end of classes that owners choose =============================================================
