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

-- ==== waits (docs/guide/operations.md) ===============================================================
-- What a backend waits for beside what pg_locks shows of it: the element, by the lock's objsubid, and classid and objid together; the gate of an object.
CREATE FUNCTION abelian.waiting_for_element(pid integer, class integer, object bigint) RETURNS text
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_waiting_for_element';
CREATE FUNCTION abelian.waiting_at_gate(pid integer, OUT relation oid, OUT "row" tid, OUT object bigint, OUT level integer, OUT since timestamptz)
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_waiting_at_gate';

CREATE OR REPLACE VIEW abelian.waits AS
WITH lock AS MATERIALIZED (
       SELECT *, classid::bigint << 32 | objid::bigint AS object FROM pg_catalog.pg_locks
     ),
     -- The row itself is locked by whoever waits for the transaction that is at it.
     at_row AS (
       SELECT DISTINCT ON (pid) * FROM lock WHERE locktype = 'tuple' AND granted ORDER BY pid, relation, page, tuple
     ),
     waiting AS MATERIALIZED (
       SELECT w.pid, w.waitstart, w.locktype, w.objsubid AS class, w.relation AS locked_relation, a.query,
              coalesce(w.relation, o.relation, p.relation, t.relation) AS relation, coalesce(o.attribute, abelian.object_column(o.relation, o."row", o.object), p.attribute) AS attribute,
              CASE WHEN w.tuple IS NOT NULL THEN format('(%s,%s)', w.page, w.tuple)::tid
                   WHEN t.tuple IS NOT NULL THEN format('(%s,%s)', t.page, t.tuple)::tid
                   ELSE o."row" END AS "row",
              coalesce(abelian.lock_operation(w.locktype, w.objsubid::integer, w.mode), abelian.lock_operation('tuple', 0, t.mode)) AS operation,
              w.database, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid, pg_catalog.pg_blocking_pids(w.pid) AS blockers
         FROM lock w
         JOIN pg_catalog.pg_stat_activity a ON a.pid = w.pid AND a.datname = pg_catalog.current_database()
         LEFT JOIN LATERAL abelian.waiting_at(w.pid, w.objsubid::integer, w.object) o ON w.locktype = 'advisory' AND w.objsubid > 11000
         LEFT JOIN LATERAL abelian.object_place(w.object) p ON w.locktype = 'advisory' AND w.objsubid IN (11001, 11002)
         LEFT JOIN at_row t ON t.pid = w.pid AND w.locktype = 'transactionid'
        WHERE NOT w.granted
     )
SELECT w.pid, pg_catalog.clock_timestamp() - w.waitstart AS waiting,
       w.relation::regclass AS "table",
       (SELECT c.attname FROM pg_catalog.pg_attribute c WHERE c.attrelid = w.relation AND c.attnum = w.attribute) AS "column",
       w."row", abelian.row_key(w.relation, w."row") AS key,
       CASE WHEN w.locktype = 'advisory' AND w.class = 11001 THEN 'value'
            WHEN w.locktype = 'advisory' AND w.class = 11002 THEN 'plain columns'
            WHEN w.locktype = 'advisory' AND w.class = 11003 THEN 'element'
            WHEN w."row" IS NOT NULL THEN 'row'
            WHEN w.locktype = 'relation' THEN 'table'
            ELSE w.locktype END AS part,
       w.operation, w.query AS statement,
       b.pid AS blocked_by, b.prepared,
       b.operation AS blocker_operation, NOT b.granted AS blocker_waits, a.state AS blocker_state, a.query AS blocker_statement,
       CASE WHEN w.class = 11003 AND w.locktype = 'advisory'
            THEN abelian.waiting_for_element(w.pid, 11003, w.classid::bigint << 32 | w.objid::bigint) END AS element
  FROM waiting w
 CROSS JOIN LATERAL (
         SELECT DISTINCT ON (h.pid, h.virtualtransaction) h.pid, h.granted,
                abelian.lock_operation(h.locktype, h.objsubid::integer, h.mode) AS operation,
                (SELECT x.gid FROM lock o JOIN pg_catalog.pg_prepared_xacts x ON x.transaction = o.transactionid
                  WHERE h.pid IS NULL AND o.pid IS NULL AND o.locktype = 'transactionid' AND o.virtualtransaction = h.virtualtransaction) AS prepared
           FROM lock h
          WHERE (h.locktype, h.database, h.relation, h.page, h.tuple, h.virtualxid, h.transactionid, h.classid, h.objid, h.objsubid)
                IS NOT DISTINCT FROM (w.locktype, w.database, w.locked_relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)
            AND coalesce(h.pid, 0) = ANY (w.blockers)
          -- The strongest of its locks: the modes are named in ascending order.
          ORDER BY h.pid, h.virtualtransaction, h.granted DESC,
                   array_position('{AccessShareLock,RowShareLock,RowExclusiveLock,ShareUpdateExclusiveLock,ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'::text[], h.mode) DESC
       ) b
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid
 UNION ALL
SELECT g.pid, pg_catalog.clock_timestamp() - g.since, g.relation::regclass,
       (SELECT c.attname FROM pg_catalog.pg_attribute c WHERE c.attrelid = g.relation AND c.attnum = coalesce(abelian.object_column(g.relation, g."row", g.object), g.attribute)),
       g."row", abelian.row_key(g.relation, g."row"), 'gate', abelian.lock_operation('advisory', 11001, g.mode), g.query,
       b.pid, NULL, abelian.lock_operation('advisory', 11001, b.mode), NOT b.granted, a.state, a.query, NULL
  FROM (SELECT a.pid, a.query, coalesce(o.relation, p.relation) AS relation, o."row", o.object, p.attribute, o.since,
               CASE o.level WHEN 3 THEN 'RowExclusiveLock' WHEN 5 THEN 'ShareLock' WHEN 7 THEN 'ExclusiveLock' END AS mode
          FROM pg_catalog.pg_stat_activity a
         CROSS JOIN LATERAL abelian.waiting_at_gate(a.pid) o
         CROSS JOIN LATERAL abelian.object_place(o.object) p
         WHERE a.datname = pg_catalog.current_database() AND a.wait_event_type = 'Extension' AND o.object IS NOT NULL) g
  -- Those of another kind who have passed it. Nobody passes with an exclusive one.
  LEFT JOIN (SELECT DISTINCT ON (pid, classid, objid) * FROM lock
              WHERE locktype = 'advisory' AND objsubid = 11001 AND pid IS NOT NULL AND mode IN ('RowExclusiveLock', 'ShareLock', 'ExclusiveLock')
              ORDER BY pid, classid, objid, granted DESC, mode) b
    ON b.object = g.object AND b.pid <> g.pid AND (b.mode <> g.mode OR g.mode = 'ExclusiveLock')
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid;
COMMENT ON VIEW abelian.waits IS 'who waits for whom, for what and since when: one row for each pair';
-- ==== end of waits ==================================================================================

-- ==== independent transactions (docs/protocols/independent.md) ======================================
-- What independent_execute does, and the participants, without SQL; routers of earlier versions call the other.
CREATE FUNCTION abelian.independent_run(id text, at bigint, self integer, nodes integer[], intent text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_run';
-- ==== end of independent transactions ===============================================================
