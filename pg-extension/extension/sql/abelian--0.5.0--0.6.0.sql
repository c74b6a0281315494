-- What version 0.6.0 adds. Each subject has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== who may call what (docs/security.md) ==========================================================
-- ==== end of who may call what ======================================================================
-- ==== placement =====================================================================================
-- Whether a table or procedure has a placement; if none has, with `hold` none gets one until the end of the transaction.
CREATE FUNCTION abelian.anything_placed(hold boolean) RETURNS boolean LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_anything_placed';
REVOKE ALL ON FUNCTION abelian.anything_placed(boolean) FROM PUBLIC;

-- While nothing is placed, DDL makes no new version, and takes no lock on our tables. Relations that it drops or changes are locked, so the
-- analysis of a statement waits for it; of anything else the first placement waits for the end.
CREATE OR REPLACE FUNCTION abelian.follow_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dropped oid;
BEGIN
  IF NOT abelian.anything_placed(hold => abelian.is_router() AND tg_tag NOT IN ('DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW', 'ALTER TABLE')) THEN
    RETURN;
  END IF;
  IF abelian.is_router() AND EXISTS (
    SELECT FROM pg_event_trigger_dropped_objects() o
     WHERE NOT o.is_temporary AND o.object_type IN ('table', 'table column', 'view', 'materialized view', 'function', 'rule', 'policy')) THEN
    PERFORM abelian.begin_placement_change();
  END IF;
  FOR dropped IN
    SELECT o.objid FROM pg_event_trigger_dropped_objects() o JOIN abelian.placement p ON p.relation::oid = o.objid
     WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0
  LOOP
    IF NOT abelian.is_router() THEN
      PERFORM abelian.begin_placement_change();
    END IF;
    PERFORM abelian.forget_table(dropped);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION abelian.check_ddl() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  touched regclass;
BEGIN
  IF NOT abelian.anything_placed(hold => abelian.is_router() AND tg_tag IN ('ALTER SCHEMA', 'ALTER FUNCTION', 'CREATE VIEW', 'CREATE SCHEMA')) THEN
    RETURN;
  END IF;
  FOR touched IN
    SELECT p.relation
      FROM pg_event_trigger_ddl_commands() c
      LEFT JOIN pg_index x ON c.classid = 'pg_class'::regclass AND x.indexrelid = c.objid
      LEFT JOIN pg_trigger t ON c.classid = 'pg_trigger'::regclass AND t.oid = c.objid
      LEFT JOIN pg_rewrite r ON c.classid = 'pg_rewrite'::regclass AND r.oid = c.objid
      LEFT JOIN pg_policy l ON c.classid = 'pg_policy'::regclass AND l.oid = c.objid
      LEFT JOIN pg_constraint k ON c.classid = 'pg_class'::regclass AND k.contype = 'f' AND k.conrelid = c.objid
      LEFT JOIN pg_inherits i ON c.classid = 'pg_class'::regclass AND i.inhrelid = c.objid
      JOIN abelian.placement p
        ON c.object_type = 'sequence' AND c.objid IN (SELECT s.seqrelid FROM abelian.sequences_of(p.relation) s)
        OR p.relation::oid IN (CASE WHEN c.classid = 'pg_class'::regclass THEN c.objid END, x.indrelid, t.tgrelid, r.ev_class, l.polrelid,
                               k.confrelid, i.inhparent)
     GROUP BY p.relation ORDER BY bool_or(p.relation::oid = c.objid) DESC, p.relation
  LOOP
    PERFORM abelian.check_placement(touched);
  END LOOP;
  IF EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() c
      LEFT JOIN pg_class t ON c.classid = 'pg_namespace'::regclass AND t.relnamespace = c.objid
      LEFT JOIN abelian.placement p ON p.relation::oid IN (CASE WHEN c.classid = 'pg_class'::regclass THEN c.objid END, t.oid)
     WHERE c.schema_name IS DISTINCT FROM 'pg_temp' AND NOT c.in_extension
       AND CASE WHEN abelian.is_router()
             THEN c.command_tag IN ('ALTER TABLE', 'ALTER VIEW', 'CREATE VIEW', 'ALTER SCHEMA', 'CREATE RULE', 'ALTER RULE', 'ALTER FUNCTION', 'CREATE POLICY', 'ALTER POLICY')
             ELSE c.command_tag IN ('ALTER TABLE', 'ALTER SCHEMA') AND p.relation IS NOT NULL -- its name may have changed
           END)
  THEN
    PERFORM abelian.begin_placement_change();
  END IF;
END $$;

CREATE OR REPLACE FUNCTION abelian.follow_procedures() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
BEGIN
  IF NOT abelian.anything_placed(hold => false) THEN
    RETURN;
  END IF;
  IF tg_event = 'sql_drop' THEN
    DELETE FROM abelian.procedure p WHERE to_regprocedure(p.signature) IS NULL OR to_regclass(p.colocated_with::text) IS NULL;
    RETURN;
  END IF;
  SELECT p.signature INTO lost FROM abelian.procedure p WHERE to_regprocedure(p.signature) IS NULL;
  IF FOUND THEN
    RAISE EXCEPTION 'distributed procedure % cannot get another name or schema', lost
      USING ERRCODE = 'feature_not_supported', HINT = 'Call undistribute_procedure() first.';
  END IF;
  IF abelian.is_router() AND EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() c JOIN abelian.procedure p ON to_regprocedure(p.signature)::oid = c.objid
     WHERE c.classid = 'pg_proc'::regclass) THEN
    PERFORM abelian.begin_placement_change();
  END IF;
END $$;

ALTER FUNCTION abelian.lock_modes_conflict(text, text) PARALLEL SAFE;
-- ==== end of placement ==============================================================================
-- ==== types: windows and hashing ====================================================================
-- Windows of RANGE with an offset, as over the values.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT * FROM (VALUES
      ('counter', 'bigint', 'bigint'), ('bounded_counter', 'bigint', 'bigint'), ('decimal_counter', 'numeric', 'numeric'),
      ('max', 'bigint', 'bigint'), ('min', 'bigint', 'bigint'), ('max_numeric', 'numeric', 'numeric'), ('min_numeric', 'numeric', 'numeric'),
      ('max_timestamptz', 'timestamptz', 'interval'), ('min_timestamptz', 'timestamptz', 'interval')) t(name, value, offset_type)
  LOOP
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.%I, abelian.%2$I, %s, boolean, boolean) RETURNS boolean LANGUAGE sql STABLE STRICT
                      PARALLEL SAFE RETURN pg_catalog.in_range($1::%s, $2::%4$s, $3, $4, $5)',
                   made.name || '_in_range', made.name, made.offset_type, made.value);
    EXECUTE format('ALTER OPERATOR FAMILY abelian.%I USING btree ADD FUNCTION 3 (abelian.%I, %s) abelian.%I(abelian.%2$I, abelian.%2$I, %3$s, boolean, boolean)',
                   made.name || '_order', made.name, made.offset_type, made.name || '_in_range');
  END LOOP;
END $$;

-- The equality of a type whose values are arrays claimed to hash, but had no operator class, so that a hash join failed.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT o.oid AS equality, n.nspname, t.typname,
           EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e') AS member,
           EXISTS (SELECT FROM pg_catalog.pg_cast c JOIN pg_catalog.pg_type v ON v.oid = c.casttarget
                    WHERE c.castsource = t.oid AND c.castcontext = 'i' AND v.typcategory = 'A') AS is_array
      FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_type t ON t.oid = o.oprleft JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
     WHERE o.oprname = '|=|' AND o.oprnamespace = 'abelian'::regnamespace AND o.oprcanhash AND o.oprleft = o.oprright
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_amop a JOIN pg_catalog.pg_am m ON m.oid = a.amopmethod WHERE m.amname = 'hash' AND a.amopopr = o.oid)
  LOOP
    IF NOT made.is_array THEN -- the value type has no hash function
      UPDATE pg_catalog.pg_operator SET oprcanhash = false WHERE oid = made.equality;
      CONTINUE;
    END IF;
    EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %1$I.%3$I USING hash AS OPERATOR 1 abelian.|=|, FUNCTION 1 %1$I.%4$I(%1$I.%3$I)',
                   made.nspname, made.typname || '_hashing', made.typname, made.typname || '_hash');
    IF NOT made.member THEN -- a user's type: a dump must bring its operator class as well
      EXECUTE format('ALTER EXTENSION abelian DROP OPERATOR CLASS %I.%I USING hash', made.nspname, made.typname || '_hashing');
      EXECUTE format('ALTER EXTENSION abelian DROP OPERATOR FAMILY %I.%I USING hash', made.nspname, made.typname || '_hashing');
    END IF;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION abelian.make_order(type_schema name, type_name name, value oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  made text := format('%I.%I', type_schema, type_name);
  part record;
  hashes boolean := EXISTS (SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod JOIN pg_type t ON t.oid = value
                             WHERE m.amname = 'hash' AND c.opcdefault AND c.opcintype IN (value, CASE WHEN t.typcategory = 'A' THEN 'anyarray'::regtype END));
BEGIN
  FOR part IN SELECT * FROM (VALUES
      ('|<|', 'lt', '|>|', '|>=|', 'RESTRICT = scalarltsel, JOIN = scalarltjoinsel'),
      ('|<=|', 'le', '|>=|', '|>|', 'RESTRICT = scalarlesel, JOIN = scalarlejoinsel'),
      ('|=|', 'eq', '|=|', NULL, CASE WHEN hashes THEN 'HASHES, ' ELSE '' END || 'MERGES, RESTRICT = eqsel, JOIN = eqjoinsel'),
      ('|>=|', 'ge', '|<=|', '|<|', 'RESTRICT = scalargesel, JOIN = scalargejoinsel'),
      ('|>|', 'gt', '|<|', '|<=|', 'RESTRICT = scalargtsel, JOIN = scalargtjoinsel'),
      (NULL, 'compare', NULL, NULL, NULL), (NULL, 'hash', NULL, NULL, NULL)) o(operator, name, commutator, negator, options)
  LOOP
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE c STABLE STRICT PARALLEL SAFE AS ''$libdir/abelian'', %L',
                   type_schema, type_name || '_' || part.name, CASE part.name WHEN 'hash' THEN made ELSE made || ', ' || made END,
                   CASE WHEN part.operator IS NULL THEN 'integer' ELSE 'boolean' END, 'abelian_object_' || part.name);
    IF part.operator IS NOT NULL THEN
      EXECUTE format('CREATE OPERATOR abelian.%s (FUNCTION = %I.%I, LEFTARG = %s, RIGHTARG = %4$s, COMMUTATOR = OPERATOR(abelian.%5$s), %6$s %7$s)',
                     part.operator, type_schema, type_name || '_' || part.name, made, part.commutator,
                     CASE WHEN part.negator IS NULL THEN '' ELSE format('NEGATOR = OPERATOR(abelian.%s),', part.negator) END, part.options);
    END IF;
  END LOOP;
  EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %s USING btree AS
                    OPERATOR 1 abelian.|<|, OPERATOR 2 abelian.|<=|, OPERATOR 3 abelian.|=|, OPERATOR 4 abelian.|>=|, OPERATOR 5 abelian.|>|,
                    FUNCTION 1 %1$I.%4$I(%3$s, %3$s)', type_schema, type_name || '_order', made, type_name || '_compare');
  IF hashes THEN
    EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %s USING hash AS OPERATOR 1 abelian.|=|, FUNCTION 1 %1$I.%4$I(%3$s)',
                   type_schema, type_name || '_hashing', made, type_name || '_hash');
  END IF;
END $make$;
-- ==== end of types: windows and hashing =============================================================
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
