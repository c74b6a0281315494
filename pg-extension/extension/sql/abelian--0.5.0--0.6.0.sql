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
-- ==== turns (docs/design/waits.md) ===================================================================
-- What a lock is for, in words; the classes are those of src/lock.
CREATE OR REPLACE FUNCTION abelian.lock_operation(locktype text, class integer, mode text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN class IN (11001, 11002, 11003, 11004) AND locktype = 'advisory' THEN
    CASE mode WHEN 'RowShareLock' THEN 'read in part' WHEN 'RowExclusiveLock' THEN 'add' WHEN 'ShareLock' THEN 'read' WHEN 'ExclusiveLock' THEN 'overwrite' ELSE mode END
  WHEN locktype = 'tuple' THEN
    CASE mode WHEN 'AccessShareLock' THEN 'FOR KEY SHARE' WHEN 'RowShareLock' THEN 'FOR SHARE' WHEN 'ExclusiveLock' THEN 'FOR NO KEY UPDATE' WHEN 'AccessExclusiveLock' THEN 'FOR UPDATE' ELSE mode END
  WHEN locktype = 'transactionid' THEN NULL
  ELSE mode
END;

CREATE OR REPLACE VIEW abelian.locks AS
    SELECT l.pid, p.relation::regclass AS "table",
           (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = p.relation AND a.attnum = p.attribute) AS "column",
           l.object, CASE l.class WHEN 11001 THEN 'value' WHEN 11002 THEN 'row' WHEN 11003 THEN 'element' ELSE 'turn' END AS part,
           abelian.lock_operation('advisory', l.class, l.mode) AS operation,
           l.granted, l.waitstart,
           CASE WHEN l.granted THEN '{}' ELSE pg_catalog.pg_blocking_pids(l.pid) END AS blocked_by,
           a.query
    FROM (SELECT pid, mode, granted, waitstart, objsubid AS class, (classid::bigint << 32) | objid::bigint AS object
          FROM pg_catalog.pg_locks
          WHERE locktype = 'advisory' AND objsubid IN (11001, 11002, 11003, 11004)
            AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) l
         CROSS JOIN LATERAL abelian.object_place(l.object) p
         LEFT JOIN pg_catalog.pg_stat_activity a USING (pid);

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
         LEFT JOIN LATERAL abelian.object_place(w.object) p ON w.locktype = 'advisory' AND w.objsubid IN (11001, 11002, 11004)
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
            WHEN w.locktype = 'advisory' AND w.class = 11004 THEN 'turn'
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
-- ==== end of turns ==================================================================================
