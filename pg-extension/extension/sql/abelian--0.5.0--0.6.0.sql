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

-- ==== end of objects and slices =====================================================================
-- ==== statement analysis ============================================================================
-- ==== end of statement analysis =====================================================================
